"""The questions of the quiz: 200 of them in ten families, made once, the same forever.

Every number is drawn from BLAKE2 through ``arena.seeds.derive`` and never from numpy, whose streams may change with
its versions; a test pins the hash of all questions.

Nothing but the question should give the right option away. In every family each letter is right five times; where
the options are numbers, the right one is the least, the second, the third and the greatest five times each
(``calendar`` and ``negation`` mix numbers and words, so there only nearly); wrong options are made like the right one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TypeVar

from arena.seeds import derive

PER_FAMILY = 20
LETTERS = ("a", "b", "c", "d")

T = TypeVar("T")
Draft = tuple[str, str, tuple[str, ...]]
"""The text, the right option, three wrong ones."""

Fits = Callable[[int], bool]

_NAMES = ("Ann", "Bob", "Cat", "Dan", "Eve", "Fay", "Gus", "Ida", "Jim", "Kim", "Lou", "Max", "Ned", "Pam")
_ORDERS = (("tall", "short"), ("old", "young"), ("fast", "slow"), ("strong", "weak"))
_KINDS = ("blips", "dorns", "feeps", "glims", "jorks", "kroms", "lunts", "moops", "quibs", "runks", "snibs")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WORDS = ("bread", "chair", "cloud", "eagle", "flame", "house", "light", "night", "paint", "river", "stone")
_BOXES = ("red", "tan", "blue", "gold", "gray", "pink")


@dataclass(frozen=True, slots=True)
class Question:
    """One question with four options, exactly one of them right.

    Attributes:
        family: what it takes to answer it.
        text: the question.
        options: in the order of ``LETTERS``.
        right: the letter of the right option.
    """

    family: str
    text: str
    options: tuple[str, str, str, str]
    right: str


class Draws:
    """A stream of draws that belongs to its label and never changes."""

    def __init__(self, label: str) -> None:
        self._label = f"quiz:{label}"
        self._count = 0

    def between(self, low: int, high: int) -> int:
        """Returns a whole number from ``low`` to ``high``, both included."""
        self._count += 1
        return low + derive(self._label, self._count) % (high - low + 1)

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """Returns ``count`` different items in random order."""
        left = list(items)
        return [left.pop(self.between(0, len(left) - 1)) for _ in range(count)]

    def one(self, items: Sequence[T]) -> T:
        """Returns one item."""
        return items[self.between(0, len(items) - 1)]


@cache
def questions() -> tuple[Question, ...]:
    """Returns all questions, family after family."""
    return tuple(question for family in FAMILIES for question in _family(family))


def _family(family: str) -> list[Question]:
    draws = Draws(family)
    # Every pair of a place and a rank once, and four pairs twice: five of each place and of each rank.
    pairs = [(place, rank) for place in range(4) for rank in range(4)] + [(turn, 3 - turn) for turn in range(4)]
    made: dict[frozenset[str], Question] = {}
    for number, (place, rank) in enumerate(draws.some(pairs, PER_FAMILY)):
        key: frozenset[str] = frozenset()
        while not key or key in made:  # draws again what was asked before
            text, right, wrong = FAMILIES[family](draws, number, rank)
            key = frozenset((text, right, *wrong))
        options = draws.some(wrong, 3)
        options.insert(place, right)
        a, b, c, d = options
        made[key] = Question(family, text, (a, b, c, d), LETTERS[place])
    return list(made.values())


def _around(draws: Draws, right: int, rank: int, most: int = 8, unit: int = 1) -> list[int]:
    """Returns three numbers of at least 0 near ``right``, ``rank`` of them less than it.

    The gaps between neighbours are drawn alike, whatever the rank, so that the four numbers do not tell which is right.
    """
    widest = max(1, min(most, right // (3 * unit)))
    places = [0]
    for _ in range(3):
        places.append(places[-1] + unit * draws.between(1, widest))
    return [right + place - places[rank] for place in places if place != places[rank]]


def _number(draws: Draws, text: str, right: int, rank: int) -> Draft:
    return text, str(right), tuple(map(str, _around(draws, right, rank)))


def _only(draws: Draws, text: str, rank: int, fits: Fits, tempts: Fits) -> Draft:
    """Returns a question for the one number of four that fits, with ``rank`` of the others, who tempt, less than it."""
    right = draws.one([number for number in range(30, 80) if fits(number)])
    others = [number for number in range(right - 25, right + 26) if tempts(number)]
    less = draws.some([number for number in others if number < right], rank)
    more = draws.some([number for number in others if number > right], 3 - rank)
    return text, str(right), tuple(map(str, less + more))


def _arithmetic(draws: Draws, number: int, rank: int) -> Draft:
    a, b, c = draws.between(11, 49), draws.between(11, 49), draws.between(2, 9)
    text, right = (
        (f"{a} + {b} - {c}", a + b - c),
        (f"{a} + {b} * {c}", a + b * c),
        (f"{c} * {a} - {b % 10}", c * a - b % 10),
        (f"({a} + {b}) * {c}", (a + b) * c),
        (f"{a * b} / {a} + {c}", b + c),
    )[number % 5]
    return _number(draws, f"What is {text}?", right, rank)


def _comparison(draws: Draws, number: int, rank: int) -> Draft:
    right = draws.between(40, 90)
    options = [_expression(draws, value) for value in (right, *_around(draws, right, rank))]
    asked = ("the smallest", "the second smallest", "the second largest", "the largest")[rank]
    return f"Which of these is {asked}?", options[0], tuple(options[1:])


def _expression(draws: Draws, value: int) -> str:
    part = draws.between(11, 29)
    return draws.one((f"{value - part} + {part}", f"{value + part} - {part}"))


def _sequence(draws: Draws, number: int, rank: int) -> Draft:
    start, step, other = draws.between(3, 12), draws.between(3, 9), draws.between(1, 4)
    terms = [start, start + step]
    for place in range(2, 6):
        last = terms[-1]
        rules = (last + step, last + step + other * (place - 1), 2 * last, terms[-2] + last, last + step)
        terms.append(rules[number % 5])
    if number % 5 == 2:
        terms = [start * 2**place for place in range(6)]
    if number % 5 == 4:
        terms = [start + step * ((place + 1) // 2) + (step + other) * (place // 2) for place in range(6)]
    shown = ", ".join(map(str, terms[:5]))
    return _number(draws, f"Which number comes next: {shown}?", terms[5], rank)


def _order(draws: Draws, number: int, rank: int) -> Draft:
    people, (much, little) = draws.some(_NAMES, 4), draws.one(_ORDERS)  # from least to most
    facts = [
        draws.one((f"{more} is {_er(much)} than {less}.", f"{less} is {_er(little)} than {more}."))
        for less, more in pairwise(people)
    ]
    asked = (_est(little), f"second {_est(little)}", f"second {_est(much)}", _est(much))[rank]
    text = f"{' '.join(draws.some(facts, 3))} Who is the {asked}?"
    return text, people[rank], tuple(people[:rank] + people[rank + 1 :])


def _er(adjective: str) -> str:
    return f"{adjective}er"


def _est(adjective: str) -> str:
    return f"{adjective}est"


def _logic(draws: Draws, number: int, rank: int) -> Draft:
    a, b, c, d = draws.some(_KINDS, 4)
    facts = draws.some((f"All {a} are {b}.", f"All {b} are {c}.", f"No {c} are {d}."), 3)
    alls = (f"All {c} are {a}", f"All {b} are {a}", f"All {c} are {b}", f"All {d} are {a}", f"All {a} are {d}")
    nos = (f"No {a} are {b}", f"No {a} are {c}", f"No {b} are {c}", f"No {c} are {b}", f"No {c} are {a}")
    if rank % 2:
        right, wrong = f"All {a} are {c}", draws.some(alls, 1) + draws.some(nos, 2)
    else:
        right = draws.one((f"No {a} are {d}", f"No {d} are {a}", f"No {b} are {d}", f"No {d} are {b}"))
        wrong = draws.some(alls, 2) + draws.some(nos, 1)
    return f"{' '.join(facts)} Which of these must be true?", right, tuple(wrong)


def _counting(draws: Draws, number: int, rank: int) -> Draft:
    tea, milk, both, neither = (draws.between(4, 15) for _ in range(4))
    people, low, size = draws.between(5, 12), draws.between(3, 9), draws.between(3, 7)
    first = low * size
    text, right = (
        (
            f"Of {tea + milk + both + neither} people, {tea + both} drink tea, {milk + both} drink milk and {both} "
            "drink both. How many drink neither?",
            neither,
        ),
        (f"How many multiples of {size} lie between {first - 1} and {first + size * tea - 1}?", tea),
        (
            f"{people} people each shake hands once with every other. How many handshakes are there?",
            people * (people - 1) // 2,
        ),
        (
            f"{tea + both} children have a cat and {milk + both} have a dog; {both} of them have both. How many have "
            "exactly one of the two?",
            tea + milk,
        ),
        (
            f"A menu has {size} soups, {people} main dishes and 2 desserts. How many meals have one of each?",
            2 * size * people,
        ),
    )[number % 5]
    return _number(draws, text, right, rank)


def _calendar(draws: Draws, number: int, rank: int) -> Draft:
    if number % 2:
        start, minutes = 5 * draws.between(84, 204), 5 * draws.between(9, 39)
        wrong = _around(draws, start + minutes, rank, 6, 5)
        text = f"A train leaves at {_clock(start)} and travels for {minutes} minutes. When does it arrive?"
        return text, _clock(start + minutes), tuple(map(_clock, wrong))
    today, days, back = draws.between(0, 6), draws.between(8, 40), draws.between(0, 1)
    right = _DAYS[(today - days if back else today + days) % 7]
    when = f"was it {days} days ago" if back else f"will it be in {days} days"
    wrong_days = draws.some([day for day in _DAYS if day != right], 3)
    return f"Today is {_DAYS[today]}. What day {when}?", right, tuple(wrong_days)


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _chance(draws: Draws, number: int, rank: int) -> Draft:
    red, blue, green = (draws.between(4, 9) for _ in range(3))
    bag = f"A bag holds {red} red, {blue} blue and {green} green balls."
    balls = red + blue + green
    if number % 4 == 3:
        heads, tails = 2 * red + 10 * green, 2 * blue
        text = f"A fair coin pays {heads} for heads and {tails} for tails. What does it pay on average?"
        return _number(draws, text, (heads + tails) // 2, rank)
    least = 5 + number // 4
    text, right, whole = (
        (f"{bag} One is drawn. What is the chance that it is not blue?", red + green, balls),
        (f"{bag} Two are drawn together. What is the chance that both are red?", red * (red - 1), balls * (balls - 1)),
        (
            f"Two dice are thrown. What is the chance of a sum of at least {least}?",
            sum(one + two >= least for one in range(1, 7) for two in range(1, 7)),
            36,
        ),
    )[number % 4]
    wrong = _around(draws, right, rank, min(4, (whole - right) // 3))
    return text, f"{right}/{whole}", tuple(f"{count}/{whole}" for count in wrong)


def _program(draws: Draws, number: int, rank: int) -> Draft:
    x, y, times = draws.between(4, 12), draws.between(3, 12), draws.between(3, 6)
    code, right = (
        (f"x = {x}\nfor i in range({times}):\n    x = x + i", x + times * (times - 1) // 2),
        (f"x = {x}\ny = {y}\nx = x + y\ny = x - y\nx = x + y", 2 * x + y),
        (f"x = 0\ny = {y * times + x}\nwhile y >= {y}:\n    y = y - {y}\n    x = x + 2", 2 * (times + x // y)),
        (f"x = {x}\nfor i in range({times}):\n    if i % 2 == 0:\n        x = x + {y}", x + (times + 1) // 2 * y),
        (f"x = {x}\nif x > {y}:\n    x = x - {y}\nelse:\n    x = x + {y}\nx = x * {times}", _branch(x, y) * times),
    )[number % 5]
    return _number(draws, f"What is x after this program?\n{code}", right, rank)


def _branch(x: int, y: int) -> int:
    return x - y if x > y else x + y


def _negation(draws: Draws, number: int, rank: int) -> Draft:
    size, odd, rest = draws.between(3, 6), draws.one((3, 5)), draws.between(0, 1)
    if number % 5 == 0:
        return _only(
            draws, f"Which number is not a multiple of {size}?", rank, lambda n: n % size > 0, lambda n: n % size == 0
        )
    if number % 5 == 1:
        text = f"Which number is not {('even', 'odd')[rest]}?"
        return _only(draws, text, rank, lambda n: n % 2 != rest, lambda n: n % 2 == rest)
    if number % 5 == 2:
        text = f"Which number is neither even nor a multiple of {odd}?"
        # As many odd multiples tempt as even numbers, so that being odd does not give the right one away.
        return _only(draws, text, rank, lambda n: n % 2 == 1 and n % odd > 0, lambda n: n % (2 * odd) in (2, odd))
    return _word(draws, "aei"[number // 5 % 3]) if number % 5 == 3 else _box(draws)


def _word(draws: Draws, letter: str) -> Draft:
    right = draws.one([word for word in _WORDS if letter not in word])
    wrong = draws.some([word for word in _WORDS if letter in word], 3)
    return f"Which word does not contain the letter {letter}?", right, tuple(wrong)


def _box(draws: Draws) -> Draft:
    right, *wrong = draws.some(_BOXES, 4)
    listed = ", ".join(sorted([right, *wrong]))
    told = draws.one(
        (
            f"It is not true that the coin is not in the {right} box. It is not in the {wrong[0]} box.",
            f"The coin is not in the {wrong[0]} box. It is in neither the {wrong[1]} box nor the {wrong[2]} box.",
        )
    )
    return f"A coin is in one of four boxes: {listed}. {told} Which box is it in?", right, tuple(wrong)


FAMILIES: dict[str, Callable[[Draws, int, int], Draft]] = {
    "arithmetic": _arithmetic,
    "comparison": _comparison,
    "sequence": _sequence,
    "order": _order,
    "logic": _logic,
    "counting": _counting,
    "calendar": _calendar,
    "chance": _chance,
    "program": _program,
    "negation": _negation,
}
"""The families with what makes a question: from draws, its number in the family and the rank of the right option."""
