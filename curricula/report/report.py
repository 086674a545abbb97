"""Writes a run's page: one self-contained HTML file that makes no network request.

Everything is drawn from the log. Texts of unknown origin pass ``arena.visible`` and the template's escaping, and the
page's Content-Security-Policy allows exactly the scripts that this module put there, by hash. Left out: lineage,
skills, populations and search, which are other pages.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from arena.errors import ConfigError
from arena.visible import visible
from curricula.report.page import Page, page_of
from curricula.report.run_record import read_run

_HERE = Path(__file__).parent


def write_report(run_dir: Path, out: Path | None = None) -> Path:
    """Writes the page of a finished, running or killed run.

    Args:
        run_dir: the run directory.
        out: the file to write; ``report.html`` in the run directory by default. It is replaced in one step.

    Returns:
        The file that was written.

    Raises:
        LogError: the log cannot be read.
        ConfigError: the libraries of the page are not installed.
    """
    target = out or run_dir / "report.html"
    html = render(page_of(read_run(run_dir)))
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    partial.write_text(html, encoding="utf-8")
    partial.replace(target)
    return target


def render(page: Page) -> str:
    """Returns the page as HTML text.

    Raises:
        ConfigError: jinja2 or plotly is not installed.
    """
    scripts = [_plotly_js(), (_HERE / "page.js").read_text(encoding="utf-8")]
    html: str = _template().render(
        page=page,
        data=_script_json({"figures": page.figures, "strategies": page.strategy_data}),
        css=(_HERE / "page.css").read_text(encoding="utf-8"),
        scripts=scripts,
        policy=content_security_policy(scripts),
    )
    return html


def content_security_policy(scripts: list[str]) -> str:
    """Returns a policy under which nothing is fetched and only these inline scripts run.

    Style attributes stay allowed (plotly and the heat maps set them); ``data:`` and ``blob:`` images are for saving
    a figure as a picture.
    """
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(one.encode()).digest()).decode()}'" for one in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _script_json(value: Mapping[str, Any]) -> str:
    """Returns JSON that cannot end the script element it stands in."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def _plotly_js() -> str:
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise _missing(error) from error
    script: str = get_plotlyjs()
    return script.replace("\r\n", "\n").replace("\r", "\n")  # as a browser reads it, so that the hash holds


@cache
def _template() -> Any:  # noqa: ANN401  (jinja2 is imported late)
    try:
        import jinja2
    except ImportError as error:
        raise _missing(error) from error
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )
    environment.filters["visible"] = lambda value: visible(str(value))
    environment.filters["gap"] = lambda value: "0" if abs(value) < 0.005 else f"{value:+.2f}".replace("-", "−")
    return environment.get_template("page.html.j2")


def _missing(error: ImportError) -> ConfigError:
    return ConfigError(
        f"report: expected jinja2 and plotly to be installed, got {error}; pip install 'ludus-arena[inspect]'"
    )
