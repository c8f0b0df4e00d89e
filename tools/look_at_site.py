"""Open every page of the built site in headless Chromium, as wide as a desktop and as a phone, and say what is wrong.

python tools/look_at_site.py [PAGE...] [--site FOLDER] [--pictures FOLDER]

Wrong are a page that is wider than the screen, text that is cut off, an error in the console, a picture that does not
load, and a formula that is still TeX. Needs Chromium and its driver. ``--pictures`` keeps a screenshot of every page.
"""

from __future__ import annotations

import argparse
import base64
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from documents import ROOT

sys.path.insert(0, str(ROOT))

from tests.browser import BROWSER, DRIVER, open_browser

SCREENS = {"desktop": (1280, 900), "phone": (390, 844)}
TALLEST = 12_000
"""Pixels of a screenshot, from the top of its page."""

LOOK = r"""
const TEX = /\$[^$\n]+\$|\$\$|\\[([]|\\[a-z]{2,}|(?<![\w.])[A-Za-zα-ωΣΠ]_\w|[)\]]_\w|_[{+]|\w_[ijuv]\b/g;
const found = [], root = document.documentElement, seen = element => element.checkVisibility();
const shown = element => `${element.tagName.toLowerCase()} "${(element.textContent || "").trim().slice(0, 40)}"`;
const scrolls = element => {
  for (let each = element; each && each !== document.body; each = each.parentElement)
    if (["auto", "scroll"].includes(getComputedStyle(each).overflowX)) return true;
  return false;
};
if (root.scrollWidth > root.clientWidth) found.push(`it is ${root.scrollWidth} wide`);
const article = document.querySelector("article") || document.body;
for (const element of article.querySelectorAll("p, li, td, th, h1, h2, h3, h4, dd, pre, img, svg, math, table"))
  if (seen(element) && element.getBoundingClientRect().right > root.clientWidth + 1 && !scrolls(element))
    found.push(`cut off: ${shown(element)}`);
for (const image of article.querySelectorAll("img"))
  if (image.complete && !image.naturalWidth) found.push(`no picture: ${image.src}`);
for (const code of article.querySelectorAll("td code"))
  if (code.textContent.includes("\\|")) found.push(`an escape: ${shown(code)}`);
for (const element of article.querySelectorAll("merror")) found.push(`wrong formula: ${shown(element)}`);
const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
for (let node = texts.nextNode(); node; node = texts.nextNode())
  if (!node.parentElement.closest("code, pre, math, script, style"))
    for (const tex of node.textContent.match(TEX) || [])
      found.push(`a formula in TeX: ${tex}`);
return [...found, ...window.thrown.map(each => `script: ${each}`)];
"""


REMEMBER = """
window.thrown = [];
window.addEventListener("error", event => event.message && window.thrown.push(event.message));
"""
"""Runs before a page does: the log of the browser may come late on a busy machine."""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Print nothing for each request."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine, and yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def problems_of(site: Path, pages: list[str], pictures: Path | None = None) -> Iterator[str]:
    """Look at pages of a site, and yield what is wrong: page, screen, problem."""
    with tempfile.TemporaryDirectory() as profile, served(site) as address, open_browser(Path(profile)) as driver:
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": REMEMBER})
        for name in pages:
            for screen, (width, height) in SCREENS.items():
                metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": screen == "phone"}
                driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
                driver.get(f"{address}/{name}")
                errors = [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
                for problem in [*driver.execute_script(LOOK), *(f"console: {error}" for error in errors)]:
                    yield f"{name}, {screen}: {problem}"
                if pictures:
                    keep_picture(driver, pictures / f"{name.removesuffix('.html').replace('/', '-')}-{screen}.png")


def keep_picture(driver: Any, path: Path) -> None:
    """Write a screenshot of the page in its whole length."""
    size = driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
    clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], TALLEST), "scale": 1}
    taken = driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(base64.b64decode(taken["data"]))


def main() -> None:
    """Print what is wrong, and end with status 1 where anything is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="such as solving.html; all by default")
    parser.add_argument("--site", type=Path, default=ROOT / "site", help="what `make docs` built")
    parser.add_argument("--pictures", type=Path, help="folder for a screenshot of every page")
    given = parser.parse_args()
    if not (BROWSER and DRIVER):
        parser.error("there is no chromium with its driver (Debian: apt install chromium chromium-driver)")
    if not (given.site / "index.html").is_file():
        parser.error(f"{given.site}: there is no index.html; run `make docs` first")
    pages = given.pages or sorted(page.relative_to(given.site).as_posix() for page in given.site.rglob("*.html"))
    count = 0
    for problem in problems_of(given.site, pages, given.pictures):
        count += 1
        print(problem, flush=True)
    print(f"{len(pages)} pages on {len(SCREENS)} screens: {count} problems")
    sys.exit(count > 0)


if __name__ == "__main__":
    main()
