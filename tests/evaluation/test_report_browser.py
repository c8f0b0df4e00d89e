"""The report in a browser: it opens from the disk, sorts, filters, draws, and asks for nothing else.

Needs what `tests.browser` names.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annealco.evaluation.report import write_report
from tests.browser import needs_browser, open_browser, requests
from tests.evaluation.comparison_rows import HOSTILE, several_comparisons

pytestmark = needs_browser
PLOTS = ("frontier", "anytime", "shares", "profile", "scatter")


class Page:
    """A report that is open in a browser."""

    def __init__(self, driver: Any, path: Path) -> None:
        self.driver, self.path = driver, path

    def open(self, *, width: int = 1280, scheme: str = "light") -> None:
        size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        self.driver.get(self.path.as_uri())

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def click(self, selector: str) -> None:
        self.run("document.querySelector(arguments[0]).click()", selector)

    def choose(self, name: str, value: str) -> None:
        script = "const box = document.getElementById(arguments[0]); box.value = arguments[1];"
        self.run(script + "box.dispatchEvent(new Event('change'))", name, value)

    def filter(self, table: str, words: str) -> None:
        script = "const box = document.querySelector(arguments[0] + ' input'); box.value = arguments[1];"
        self.run(script + "box.dispatchEvent(new Event('input'))", table, words)

    def column(self, table: str, title: str) -> list[str]:
        script = (
            "const heads = [...document.querySelectorAll(arguments[0] + ' th')].map(each => each.textContent);"
            "return [...document.querySelectorAll(arguments[0] + ' tbody tr')]"
            ".map(row => row.cells[heads.indexOf(arguments[1])].textContent)"
        )
        return self.run(script, table, title)

    def sort(self, table: str, title: str) -> None:
        script = "[...document.querySelectorAll(arguments[0] + ' th button')]"
        self.run(script + ".find(each => each.textContent === arguments[1]).click()", table, title)

    def marks(self, plot: str) -> int:
        return self.run("return document.querySelectorAll(`#${arguments[0]} .mark`).length", plot)

    def paths(self, plot: str) -> int:
        return self.run("return document.querySelectorAll(`#${arguments[0]} path[stroke]`).length", plot)

    def requests(self) -> list[str]:
        return requests(self.driver)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("report")
    several_comparisons(folder)
    with open_browser(tmp_path_factory.mktemp("profile")) as driver:
        yield Page(driver, write_report(folder).path)


@pytest.fixture
def page(browser: Page) -> Iterator[Page]:
    """Open the report anew, and see at the end that nothing was complained about and nothing asked for."""
    browser.open()
    yield browser
    assert browser.driver.get_log("browser") == []
    assert {url for url in browser.requests() if not url.startswith("data:")} <= {browser.path.as_uri()}
    assert browser.run("return window.stolen") is None


def test_it_opens_with_its_facts_and_hostile_labels_as_text(page: Page) -> None:
    assert page.driver.title == f"annealco report: {page.path.parent.name}"
    assert "mis" in page.run("return document.getElementById('facts-list').textContent")
    assert HOSTILE.replace("\u2028", " ") in " ".join(page.column("#summary-table", "method")).replace("\u2028", " ")
    assert page.run("return document.querySelectorAll('img, iframe, object').length") == 0


def test_the_summary_sorts_both_ways(page: Page) -> None:
    page.sort("#summary-table", "ratio")
    falling = [float(text.split()[0]) for text in page.column("#summary-table", "ratio")]
    assert falling == sorted(falling, reverse=True)
    page.sort("#summary-table", "ratio")
    rising = [float(text.split()[0]) for text in page.column("#summary-table", "ratio")]
    assert rising == sorted(falling)
    assert rising != falling
    page.sort("#summary-table", "method")
    names = page.column("#summary-table", "method")
    assert names.index("greedy_fixed") < names.index("sampling")


def test_tables_filter_by_words(page: Page) -> None:
    page.filter("#summary-table", "MIS greedy_fixed")
    assert page.column("#summary-table", "method") == ["greedy_fixed"] * 2
    page.filter("#summary-table", "no such words")
    assert page.column("#summary-table", "method") == []
    page.filter("#failures-table", "licence")
    assert page.column("#failures-table", "method") == ["gurobi"]


def test_failures_come_first(page: Page) -> None:
    states = page.column("#failures-table", "status")
    assert states[:4] == ["no set", "infeasible", "infeasible", "below"]
    ratios = [float(text) for text in page.column("#failures-table", "ratio")]
    assert ratios == sorted(ratios)
    before = len(ratios)
    page.click("#failures-table .more")
    assert len(page.column("#failures-table", "ratio")) == 2 * before


def test_every_plot_is_drawn_for_every_comparison(page: Page) -> None:
    page.choose("table", "2")
    # Greedy and sampling at two limits, search too, and one line of each method that failed or is hostile.
    assert page.marks("frontier") == 8
    assert page.paths("frontier") == 3
    assert page.paths("anytime") == 1
    assert page.paths("shares") == 5
    assert page.paths("profile") >= 1
    assert page.marks("scatter") >= 1
    page.choose("table", "0")
    assert page.paths("anytime") == 0
    assert "tells when" in page.run("return document.getElementById('anytime').textContent")
    assert all(page.run("return document.getElementById(arguments[0]).childElementCount", name) for name in PLOTS)


def test_plots_answer_to_their_choices(page: Page) -> None:
    page.choose("table", "1")
    page.choose("target", "0.9")
    assert page.paths("profile") == 2
    page.choose("target", "1")
    assert page.paths("profile") == 1
    page.choose("scatter-x", page.run("return [...document.querySelectorAll('#scatter-x option')][0].value"))
    assert "higher up: 10; equal: 0" in page.run("return document.getElementById('scatter-note').textContent")
    before = page.paths("shares")
    page.click("#legend button")
    assert page.paths("shares") == before - 1
    page.click("#legend button")
    assert page.paths("shares") == before


def test_a_mark_tells_what_it_is(page: Page) -> None:
    page.choose("table", "1")
    script = (
        "const mark = document.querySelector('#frontier .mark'), area = mark.getBoundingClientRect();"
        "const place = {bubbles: true, clientX: area.x + 5, clientY: area.y + 5};"
        "mark.dispatchEvent(new PointerEvent('pointermove', place));"
        "return document.querySelector('#frontier .tip').textContent"
    )
    text = page.run(script)
    assert "greedy_fixed" in text
    assert "ratio 0.7050" in text


def test_no_width_scrolls_the_page_sideways(page: Page) -> None:
    for width in (320, 390, 768, 1280):
        page.open(width=width)
        assert page.run("return [document.documentElement.scrollWidth <= arguments[0], innerWidth]", width) == [
            True,
            width,
        ]
        assert page.run("return document.querySelector('#failures-table .scroll').clientWidth") < width


def test_it_follows_the_reader_s_scheme(page: Page) -> None:
    script = "return getComputedStyle(document.body).backgroundColor"
    light = page.run(script)
    page.open(scheme="dark")
    assert page.run(script) != light
