"""How numbers are written."""

from __future__ import annotations

from curricula.report.wording import count, percent, short, signed


def test_signed_numbers() -> None:
    assert [signed(value) for value in (1.0, -0.5, 0.0, -1e-9)] == ["+1", "−0.5", "0", "−1e−09"]


def test_short_numbers_keep_what_matters() -> None:
    values = (0.0833, 1200.0, 0.0003, 0.0, -2.0, 31320.0, 123.456, None)
    assert [short(value) for value in values] == ["0.083", "1,200", "0.0003", "0", "-2", "31,320", "123.5", "–"]


def test_rates_and_counts() -> None:
    assert [percent(0.5), percent(None)] == ["50.0 %", "–"]
    assert [count(12_800), count(12_345_678)] == ["12,800", "12.3 M"]
