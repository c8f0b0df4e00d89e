"""`annealco app` in a browser: it solves an upload, animates, refuses what it must, and serves this machine only."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from annealco.cli import browser_app
from tests.browser import needs_browser, open_browser, requests
from tests.cli.hostile_uploads import HOSTILE
from tests.waiting import read_until, wait_until

pytest.importorskip("streamlit")
pytestmark = [pytest.mark.processes, needs_browser]
CSV = b"source,target\nAda,Ben\nBen,Cleo\nCleo,Dan\nDan,Ada\nDan,Eva\n"


class App:
    """The app, open in a browser."""

    def __init__(self, driver: Any, address: str, process: subprocess.Popen[str], folder: Path) -> None:
        self.driver, self.address, self.process, self.folder = driver, address, process, folder

    def wait(self, script: str, *arguments: Any) -> Any:
        """Wait until a script returns something, and return that."""
        found: list[Any] = [None]

        def holds() -> bool:
            found[0] = self.driver.execute_script(script, *arguments)
            return bool(found[0])

        wait_until(holds, lambda: self.process.poll() is None)
        return found[0]

    def click(self, text: str) -> None:
        script = (
            "const found = [...document.querySelectorAll('button, label')]"
            ".find(each => each.textContent.trim() === arguments[0]); if (found) found.click(); return found"
        )
        self.wait(script, text)

    def open(self) -> None:
        self.driver.get(self.address)
        self.wait("return [...document.querySelectorAll('button')].some(each => each.textContent.trim() === 'Solve')")

    def upload(self, name: str, content: bytes) -> None:
        """Put a file into the uploader, by its name or, where the disk cannot have it, another of its extension."""
        path = self.folder / Path(name.replace("\\", "/")).name
        path.write_bytes(content)
        self.wait("return document.querySelector('input[type=file]')")
        self.driver.find_element("css selector", "input[type=file]").send_keys(str(path))

    def text(self) -> str:
        return self.driver.execute_script("return document.body.innerText")

    def wait_for_text(self, text: str) -> None:
        self.wait("return document.body.innerText.includes(arguments[0])", text)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    with socket.socket() as free:
        free.bind((browser_app.ADDRESS, 0))
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("app")
    command = [sys.executable, "-u", "-m", "annealco", "app", "--port", str(port), "--no-browser"]
    environment = {**os.environ, "TMPDIR": str(tmp_path_factory.mktemp("temporary")), "HOME": str(folder)}
    environment["MPLCONFIGDIR"] = str(tmp_path_factory.mktemp("fonts"))
    with subprocess.Popen(command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            read_until(process.stdout, "  URL: ")
            with open_browser(tmp_path_factory.mktemp("profile")) as driver:
                yield App(driver, f"http://{browser_app.ADDRESS}:{port}", process, tmp_path_factory.mktemp("uploads"))
        finally:
            process.terminate()
    # The server ends with the command, and has left nothing behind.
    assert not list(Path(environment["TMPDIR"]).iterdir())
    assert not [path for path in folder.rglob("*") if path.is_file() and ".streamlit" not in path.parts]


def test_it_listens_on_this_machine_only(app: App) -> None:
    port = f"{int(app.address.rpartition(':')[2]):04X}"
    tables = [Path("/proc/net/tcp"), Path("/proc/net/tcp6")]
    if not tables[0].exists():
        pytest.skip("needs the tables of Linux")
    # Local address, remote address, state: 0A is listening.
    lines = [line.split() for table in tables if table.exists() for line in table.read_text().splitlines()[1:]]
    assert {line[1] for line in lines if line[3] == "0A" and line[1].endswith(f":{port}")} == {f"0100007F:{port}"}


def test_it_solves_an_upload_and_animates(app: App) -> None:
    app.open()
    app.click("upload")
    app.upload("friends.csv", CSV)
    app.wait_for_text("5 nodes, 5 edges")
    # Every frame is another picture: remember all that are ever shown.
    app.driver.execute_script(
        "window.seen = new Set(); new MutationObserver(() => document.querySelectorAll('img')"
        ".forEach(each => window.seen.add(each.src)))"
        ".observe(document.body, {subtree: true, childList: true, attributes: true})"
    )
    app.click("Solve")
    app.wait_for_text("Set as CSV")
    # The page loads what shows code when it is first needed, and that may be after the buttons.
    app.wait_for_text("Ada Cleo Eva")
    assert "proven" in app.text()
    assert len(app.driver.execute_script("return [...window.seen]")) > 5
    severe = [entry for entry in app.driver.get_log("browser") if entry["level"] == "SEVERE"]
    assert severe == []
    hosts = {url.split("/")[2] for url in requests(app.driver) if url.startswith(("http", "ws"))}
    assert hosts <= {app.address.removeprefix("http://")}


CANVAS = (
    "const canvas = [...document.querySelectorAll('*')].map(each => each.shadowRoot)"
    ".find(each => each && each.querySelector('svg[aria-label]')); "
)


def click_canvas(app: App, x: float, y: float) -> None:
    """Click where the canvas has this place, as a mouse does."""
    place = (
        f"{CANVAS} if (!canvas) return null; const svg = canvas.querySelector('svg');"
        # In the middle: at the top the bar of the page would take the click.
        "svg.scrollIntoView({block: 'center'});"
        "const at = new DOMPoint(arguments[0], arguments[1]).matrixTransform(svg.getScreenCTM());"
        "return [Math.round(at.x), Math.round(at.y)]"
    )
    actions = pytest.importorskip("selenium.webdriver").ActionChains(app.driver)
    across, down = app.wait(place, x, y)
    actions.w3c_actions.pointer_action.move_to_location(across, down).click()
    actions.perform()


def press(app: App, name: str) -> None:
    app.driver.execute_script(f"{CANVAS} canvas.querySelector('.{name}').click()")


def test_a_graph_is_drawn_by_clicks(app: App) -> None:
    app.open()
    app.click("draw")
    path = [(30, 20), (80, 20), (130, 20), (130, 70)]
    for number, place in enumerate(path, 1):
        click_canvas(app, *place)
        app.wait_for_text(f"independent set: {number} nodes, 0 edges")
    for number, (one, other) in enumerate(pairwise(path), 1):
        click_canvas(app, *one)
        click_canvas(app, *other)
        app.wait_for_text(f"4 nodes, {number} edges")
    # The last edge again parts its ends, and undo joins them anew.
    click_canvas(app, *path[-1])
    click_canvas(app, *path[-2])
    app.wait_for_text("4 nodes, 2 edges")
    press(app, "undo")
    app.wait_for_text("4 nodes, 3 edges")
    # A node that is removed takes its edge along, others keep theirs; undo brings it back.
    click_canvas(app, *path[0])
    press(app, "remove")
    app.wait_for_text("3 nodes, 2 edges")
    press(app, "undo")
    app.wait_for_text("4 nodes, 3 edges")
    # By hand: nodes 2 and 4 of the path weigh more than any other independent set.
    click_canvas(app, *path[1])
    app.driver.execute_script(
        f"{CANVAS} const field = canvas.querySelector('input'); field.value = 5;"
        "field.dispatchEvent(new Event('change'))"
    )
    app.wait(
        f"{CANVAS} return [...canvas.querySelectorAll('text.weight')].map(each => each.textContent).join() === '5'"
    )
    app.click("Solve")
    app.wait_for_text("Set as CSV")
    app.wait("return document.body.innerText.split('\\n').includes('2 4')")
    # Another source and back: the drawing is still there, and so is its answer.
    app.click("type")
    app.wait_for_text("5 nodes, 5 edges")
    app.click("draw")
    app.wait_for_text("4 nodes, 3 edges")
    app.wait(f"{CANVAS} return canvas && canvas.querySelectorAll('circle').length === 4")
    press(app, "clear")
    app.wait(f"{CANVAS} return canvas.querySelectorAll('circle').length === 0")
    app.wait("return !document.body.innerText.includes('Set as CSV')")
    severe = [entry for entry in app.driver.get_log("browser") if entry["level"] == "SEVERE"]
    assert severe == []


ODD_NAMES_AND_SOME = [each for number, each in enumerate(HOSTILE) if number % 10 == 0 or set("\\/") & set(each[0])]


@pytest.mark.parametrize(
    "uploads", [ODD_NAMES_AND_SOME, pytest.param(HOSTILE, marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_hostile_uploads_are_refused_and_it_still_solves(app: App, uploads: list[tuple[str, bytes]]) -> None:
    app.open()
    app.click("upload")
    for name, content in uploads:
        app.upload(name, content)
        # The message names the file; the uploader does so too, so its own text does not count.
        script = "return [...document.querySelectorAll('code')].some(each => each.innerText.includes(arguments[0]))"
        app.wait(script, Path(name.replace("\\", "/")).name[-20:])
        assert "This cannot be solved:" in app.text()
        assert "Traceback" not in app.text()
    assert not (app.folder / "hacked").exists()
    app.open()
    app.click("Solve")
    app.wait_for_text("Set as CSV")


def test_a_huge_file_is_refused(app: App) -> None:
    app.open()
    app.click("upload")
    app.upload("huge.edges", b"1 2\n" * 2_000_000)
    app.wait_for_text(f"{browser_app.MOST_MEGABYTES}")
    app.wait("return /must be|exceeds|larger|too large/i.test(document.body.innerText)")
