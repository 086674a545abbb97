"""The page in the documentation is the one that the rules make."""

from __future__ import annotations

from pathlib import Path

from curricula.learnability import rules
from curricula.learnability_page import page

PAGE = Path(__file__).parents[2] / "docs" / "learnability.md"


def test_the_page_is_up_to_date():
    # Otherwise: python -m curricula.learnability_page > docs/learnability.md
    assert page() == PAGE.read_text()


def test_the_page_has_a_section_with_its_source_for_every_rule():
    text = page()
    for name in rules:
        assert f"\n## {name}\n" in text
        assert f"Source: {rules.make(name).source}." in text
    assert "| `azr_paper` | 0.37 | 0.26 | 0.17 | 0.11 |" in text
