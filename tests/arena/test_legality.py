"""Judging answers and rules for illegal ones."""

from dataclasses import replace

import pytest
from arena_sample_games import Asker

from arena.errors import ConfigError
from arena.games.kuhn_poker import KuhnPoker
from arena.legality import check_rule, fault
from arena.types import Action, IllegalRule, NotUnderstood


def test_faults_say_why():
    assert fault(Action(value="bet"), ("check", "bet")) == ""
    assert fault(Action(value="anything"), None) == ""
    assert fault(Action(value="raise"), ("check", "bet")) == "illegal:raise"
    assert fault(NotUnderstood(reason="unclosed"), None) == "unclosed"
    assert fault(NotUnderstood(reason=""), None) == "not_understood"
    assert fault(Action(value="x" * 100), ()) == f"illegal:{'x' * 80}..."


@pytest.mark.parametrize(
    ("rule", "spec", "message"),
    [
        (IllegalRule(kind="ignore"), KuhnPoker.spec, "expected one of retry, penalise, forfeit, blank, got 'ignore'"),
        (IllegalRule(retries=-1), KuhnPoker.spec, "at least 0, got -1"),
        (IllegalRule(kind="penalise", penalty=1.0), Asker.spec, "actions are free text"),
        (IllegalRule(kind="blank"), KuhnPoker.spec, "whose actions are listed, got 'blank'"),
        (IllegalRule(kind="blank", penalty=-1.0), Asker.spec, "at least 0, got 0 and -1.0"),
        (IllegalRule(), replace(KuhnPoker.spec, returns_range=(float("-inf"), 0.0)), "no low end"),
    ],
)
def test_rules_that_do_not_fit_are_refused(rule, spec, message):
    with pytest.raises(ConfigError, match=message):
        check_rule(rule, spec)


def test_a_blank_fits_free_text_whatever_the_returns():
    rule = IllegalRule(kind="blank", penalty=0.5)
    assert check_rule(rule, Asker.spec) is rule
    assert check_rule(rule, replace(Asker.spec, returns_range=(float("-inf"), 0.0))) is rule
