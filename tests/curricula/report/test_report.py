"""The written page: parsed as text, and opened in a headless browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from arena.log import read_episodes
from curricula.report.page import page_of
from curricula.report.report import render, write_report
from curricula.report.run_record import read_run
from curricula.report.transcript import FoldedText, episode_view

KNOWN_SCRIPTS = 3
"""The data, plotly and the page's own script."""


class Elements(HTMLParser):
    """Collects the page's elements and the text of its scripts."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self._in_script = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in_script = tag == "script"
        if self._in_script:
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts[-1] += data


@pytest.fixture(scope="module")
def report(run_dir: Path) -> Path:
    return write_report(run_dir)


@pytest.fixture(scope="module")
def elements(report: Path) -> Elements:
    return Elements(report.read_text(encoding="utf-8"))


def test_it_lands_in_the_run_directory_and_leaves_nothing_else(report: Path, run_dir: Path) -> None:
    assert report == run_dir / "report.html"
    assert not list(run_dir.glob(".report*"))


def test_another_place_can_be_named(run_dir: Path, tmp_path: Path) -> None:
    assert write_report(run_dir, tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_same_log_gives_the_same_bytes(report: Path, run_dir: Path, tmp_path: Path) -> None:
    assert write_report(run_dir, tmp_path / "again.html").read_bytes() == report.read_bytes()


def test_plotly_is_there_once_and_the_rest_is_small(report: Path) -> None:
    from plotly.offline import get_plotlyjs

    assert report.stat().st_size - len(get_plotlyjs().encode()) < 300_000


def test_nothing_is_fetched_and_no_handler_is_inline(elements: Elements) -> None:
    for tag, attributes in elements.tags:
        assert tag not in ("img", "iframe", "object", "embed", "base", "form", "audio", "video")
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "srcset", "action")]
        assert (attributes.get("href") or "#").startswith(("#", "data:,"))


def test_the_policy_allows_exactly_the_scripts_of_the_page(elements: Elements) -> None:
    (policy,) = [a["content"] for tag, a in elements.tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    scripts = policy.split("script-src")[1].split(";")[0]
    assert "unsafe-inline" not in scripts
    assert len(elements.scripts) == KNOWN_SCRIPTS
    hashes = {base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in elements.scripts[1:]}
    assert set(re.findall(r"'sha256-([^']+)'", scripts)) == hashes


def test_the_data_is_json(elements: Elements) -> None:
    data = json.loads(elements.scripts[0])
    assert {"nash-0", "wins-1"} <= set(data["figures"])
    assert len(data["strategies"][0]["cells"]) == 12


def test_ids_are_unique(elements: Elements) -> None:
    ids = [attributes["id"] for _, attributes in elements.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_megabytes_are_folded(report: Path) -> None:
    assert "a" * 25_000 not in report.read_text(encoding="utf-8")


def test_a_message_names_the_extra_when_a_library_is_missing(run_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from arena.errors import ConfigError
    from curricula.report import report as module

    module._plotly_js.cache_clear()
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    with pytest.raises(ConfigError, match=r"pip install 'ludus-arena\[inspect\]'"):
        write_report(run_dir)


@pytest.fixture(scope="module")
def every_hostile_episode(run_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page that shows each hostile text, open, and a hostile name of the campaign, of an opponent and of a metric."""
    from dataclasses import replace

    evil = "<img src=x onerror='window.hacked=1'>\x1b[31m\u202e"
    run = read_run(run_dir)
    events = tuple({**event, "campaign": evil, "policy": evil, "game": evil} for event in run.events)
    metrics = tuple({**row, evil: 1.0, f"{evil}_return": 2.0} for row in run.metrics)
    page = page_of(replace(run, events=events, metrics=metrics))
    broken = [episode for episode in read_episodes(run_dir, [0]) if not all(turn.legal for turn in episode.turns)]
    views = tuple(episode_view(episode) for episode in broken)
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    path.write_text(render(replace(page, episodes=(replace(page.episodes[0], episodes=views),))), encoding="utf-8")
    return path


def test_hostile_text_makes_no_element(every_hostile_episode: Path, elements: Elements) -> None:
    html = every_hostile_episode.read_text(encoding="utf-8")
    hostile = Elements(html)
    assert len(hostile.scripts) == KNOWN_SCRIPTS
    assert {tag for tag, _ in hostile.tags} == {tag for tag, _ in elements.tags}
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", html.replace(hostile.scripts[1], "")
    )
    for shown in ("␛[2J", "⟦U+202E⟧", "⟦U+D800⟧", "&lt;script&gt;window.hacked=1&lt;/script&gt;", "further characters"):
        assert shown in html


def open_browser(profile: Path) -> Any:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    driver = open_browser(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


def load(driver: Any, path: Path) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    driver.get("about:blank")
    for kind in ("browser", "performance"):
        driver.get_log(kind)  # what an earlier page logged
    driver.get(path.as_uri())
    drawn = "return document.documentElement.dataset.drawn === 'true'"
    WebDriverWait(driver, 30).until(lambda it: it.execute_script(drawn))


def fetched(driver: Any) -> list[str]:
    """Returns what the page requested, itself included; data that stand in the page are no request."""
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    urls = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    return [url for url in urls if not url.startswith(("data:", "blob:"))]


@pytest.mark.browser
def test_the_page_draws_without_error_or_request(browser: Any, report: Path) -> None:
    load(browser, report)
    for button in ("#theme", "[data-log]", ".play", "#unfold"):
        browser.execute_script(f"document.querySelector('{button}').click()")
    plots = browser.execute_script("return document.querySelectorAll('.plot .main-svg').length")
    figures = browser.execute_script("return document.querySelectorAll('.plot').length")
    assert figures >= 8
    assert plots >= figures
    assert browser.get_log("browser") == []
    assert fetched(browser) == [report.as_uri()]


@pytest.mark.browser
def test_the_slider_shows_an_earlier_strategy(browser: Any, report: Path, run_dir: Path) -> None:
    load(browser, report)
    browser.execute_script(
        "const it = document.querySelector('input[type=range]'); it.value = 0; it.dispatchEvent(new Event('input'))"
    )
    shown = browser.execute_script("return document.querySelector('[data-cell=\"2-0\"] b').textContent")
    first = read_run(run_dir).of_kind("evaluated")[0]
    assert float(shown) == pytest.approx(first["strategy"]["K"]["bet"], abs=0.006)


@pytest.mark.browser
def test_hostile_text_does_not_execute(browser: Any, every_hostile_episode: Path) -> None:
    load(browser, every_hostile_episode)
    browser.execute_script("document.getElementById('unfold').click()")
    assert browser.execute_script("return window.hacked === undefined")
    assert browser.get_log("browser") == []
    assert fetched(browser) == [every_hostile_episode.as_uri()]


@pytest.mark.browser
def test_an_injected_script_is_blocked_by_the_policy(browser: Any, report: Path, tmp_path: Path) -> None:
    html = report.read_text(encoding="utf-8")
    leak = "<script>window.hacked=1</script><img src=x onerror='window.hacked=2'></main>"
    broken = tmp_path / "broken.html"
    broken.write_text(html.replace("</main>", leak), encoding="utf-8")
    load(browser, broken)
    assert browser.execute_script("return window.hacked === undefined")
    assert "Content Security Policy" in str(browser.get_log("browser"))


@pytest.mark.browser
def test_a_killed_run_opens(browser: Any, tmp_path: Path, write: Callable[..., Path]) -> None:
    load(browser, write_report(write(tmp_path / "run", rounds=1, finished=False)))
    assert browser.execute_script("return document.querySelector('.state').textContent").startswith("running")
    assert browser.get_log("browser") == []


@pytest.mark.browser
def test_an_empty_run_opens(browser: Any, tmp_path: Path, write: Callable[..., Path]) -> None:
    load(browser, write_report(write(tmp_path / "run", rounds=0, finished=False)))
    assert "No evaluation" in browser.execute_script("return document.body.textContent")
    assert browser.get_log("browser") == []


def test_folded_text_says_how_much_is_folded() -> None:
    assert FoldedText(head="a", fold="bcd", omitted=0).folded == 3
