"""Ctrl-C once and twice."""

import os
import signal

import pytest

from training.interrupts import stop_on_signals


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_once_sets_a_flag_twice_raises_and_the_handlers_come_back(number):
    before = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)}
    with pytest.raises(KeyboardInterrupt), stop_on_signals() as stop:
        assert not stop()
        os.kill(os.getpid(), number)
        assert stop()
        assert stop.requested
        os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("the second signal did not raise")
    assert {n: signal.getsignal(n) for n in before} == before


def test_the_handlers_come_back_after_a_quiet_run_and_after_an_error():
    before = signal.getsignal(signal.SIGINT)
    with stop_on_signals() as stop:
        assert signal.getsignal(signal.SIGINT) != before
    assert not stop.requested
    with pytest.raises(ValueError, match="broken"), stop_on_signals():
        raise ValueError("broken")
    assert signal.getsignal(signal.SIGINT) == before
