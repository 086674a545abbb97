"""How numbers and names are written on the page."""

from __future__ import annotations


def short(value: float | None) -> str:
    """Returns a whole number whole, others with three decimals or four digits; ``–`` when there is none."""
    if value is None:
        return "–"
    if abs(value) >= 10 or value == round(value):
        return f"{value:,.0f}" if value == round(value) and abs(value) < 1e12 else f"{value:,.4g}"
    return f"{value:.3f}" if abs(value) >= 0.001 else f"{value:.4g}"


def percent(value: float | None) -> str:
    """Returns a rate in per cent, or ``–`` when there is none."""
    return "–" if value is None else f"{100 * value:.1f} %"


def rate(low: float | None, mid: float | None, high: float | None) -> str:
    """Returns a rate in per cent with its interval, as far as they are known."""
    if low is None or mid is None or high is None:
        return percent(mid)
    return f"{percent(mid)} ({100 * low:.1f} to {100 * high:.1f})"


def count(value: int) -> str:
    """Returns a count with thousands marked, in millions from ten million on."""
    return f"{value:,}" if value < 10_000_000 else f"{value / 1e6:,.1f} M"


def signed(value: float, decimals: int | None = None) -> str:
    """Returns a number with its sign, zero without (``+1``, ``−0.5``, ``0``); four digits, or so many decimals."""
    shown = f"{value:+.4g}" if decimals is None else f"{value:+.{decimals}f}"
    return "0" if not shown.strip("+-0.") else shown.replace("-", "−")


def policies(joined: str) -> str:
    """Returns the policies of one event, which the log joins with a plus, as people list them."""
    names = joined.split("+")
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
