"""How numbers are written."""

from __future__ import annotations

from curricula.report.wording import count, percent, policies, rate, short, signed


def test_signed_numbers() -> None:
    assert [signed(value) for value in (1.0, -0.5, 0.0, -1e-9)] == ["+1", "−0.5", "0", "−1e−09"]


def test_signed_numbers_with_decimals() -> None:
    assert [signed(value, 2) for value in (1.0, -0.5, 0.001, -0.001, 10.0)] == ["+1.00", "−0.50", "0", "0", "+10.00"]


def test_policies_are_listed() -> None:
    assert [policies(joined) for joined in ("a", "a+b", "a+b+c")] == ["a", "a and b", "a, b and c"]


def test_short_numbers_keep_what_matters() -> None:
    values = (0.0833, 1200.0, 0.0003, 0.0, -2.0, 31320.0, 123.456, None)
    assert [short(value) for value in values] == ["0.083", "1,200", "0.0003", "0", "-2", "31,320", "123.5", "–"]


def test_rates_and_counts() -> None:
    assert [percent(0.5), percent(None)] == ["50.0 %", "–"]
    assert [rate(0.4, 0.5, 0.6), rate(None, 0.5, None)] == ["50.0 % (40.0 to 60.0)", "50.0 %"]
    assert [count(12_800), count(12_345_678)] == ["12,800", "12.3 M"]
