"""The page ``docs/learnability.md``, made from the rules themselves.

``python -m curricula.learnability_page > docs/learnability.md`` writes it; a test compares the two.
"""

from __future__ import annotations

import sys

from arena.errors import InputError
from curricula.golden_table import INVALID_CLASSES, golden_table, peak, shown
from curricula.learnability import LearnabilityRule, rules

_INTRODUCTION = """# Learnability rules

<!-- python -m curricula.learnability_page > docs/learnability.md -->

A learnability rule pays for a proposed task by what came of it: solved attempts, judged attempts, and what else the
rule wants. It returns named terms whose sum is the pay, so a log says why. A rule has no knobs. Its name in the log
holds its version and the number of attempts (`azr_paper-v1/n=4`), because both change what it rewards.

A valid task with fewer judged attempts than the rule needs is refused, not paid 0; an attempt that no verifier could
judge is in neither count. Every kind of invalid proposal costs the same within one rule. Rules that want more than
counts are shown on returns of 0 and 1, with advantages that are returns minus their mean and an antagonist that
always succeeds.

The peak is the true solve rate at which a rule pays most on average over samples of n attempts. A rule that pays
1 - p and nothing at the ends peaks at an ever lower rate as n grows, so the same rule asks for harder tasks when more
attempts are made.

A rule is a class in `curricula/rules/` with `name`, `version`, `source`, `least_attempts` and `score(evidence)`, under
`@rules.register(name)`.
"""

_SAMPLES = (4, 8)
_PEAKS = (4, 8, 16, 32)
_CASES = ("p=0", "p=1/n", "p=1/2", "p=(n-1)/n", "p=1")


def page() -> str:
    """Returns the whole page."""
    made = [rules.make(name) for name in rules]
    return "\n".join([_INTRODUCTION, *_peaks(made), *(line for rule in made for line in _section(rule))])


def _peaks(made: list[LearnabilityRule]) -> list[str]:
    rows = [_row([f"`{rule.name}`", *(_peak(rule, n) for n in _PEAKS)]) for rule in made]
    return ["## Where each rule peaks", "", *_head(["rule", *(f"n={n}" for n in _PEAKS)]), *rows, ""]


def _section(rule: LearnabilityRule) -> list[str]:
    tables = {n: golden_table(rule, n) for n in _SAMPLES}
    rows = []
    for n, table in tables.items():
        # All invalid classes cost the same, which a test holds; one column shows them.
        cells = [shown(table[case]) for case in (*_CASES, f"invalid:{INVALID_CLASSES[0]}")]
        rows.append(_row([str(n), *cells]))
    summary = (type(rule).__doc__ or "").strip().partition("\n")[0]
    source = f"Source: {rule.source}. Judged attempts needed: {rule.least_attempts}."
    return [f"## {rule.name}", "", summary, "", source, "", *_head(["n", *_CASES, "invalid"]), *rows, ""]


def _peak(rule: LearnabilityRule, n: int) -> str:
    try:
        return f"{peak(rule, n):.2f}"
    except InputError:
        return "refused"


def _head(names: list[str]) -> list[str]:
    return [_row(names), "|" + "---|" * len(names)]


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.stdout.write(page())
