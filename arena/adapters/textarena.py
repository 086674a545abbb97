"""TextArena's games as foreign games (L. Guertler et al., arXiv 2504.11442; package 0.7.4): ``textarena/TicTacToe-v0``.

A variant is named before the version: TextArena's ``Nim-v0-medium`` is ``textarena/Nim-medium-v0`` here. TextArena's
``-raw`` and ``-train`` ids differ only in how they make texts, which ``arena.foreign.textarena_env`` does itself, so
they are left out.

- A seat for each player, as few as the game takes: two, or else one, or else three and more.
- Rules are the lines of the opening prompt that are the same for every seat and seed; the other lines (who you are,
  what you hold) open every text.
- Actions are free text, except for the families of ``arena.foreign.textarena_actions``. As in TextArena, one invalid
  answer in a turn is forgiven.
- Two-player games are won (1), lost (-1) or drawn (0). What players beyond two and single players get lies between
  -1 and 1, save that ``Set`` counts its sets.

Left out, refused by name: games that ask a language model over the network, games that need nltk's word lists until
these are installed, and those that fail to open with what is installed (several of 0.7.4 need Python 3.12).
"""

from __future__ import annotations

import importlib
import re
from contextlib import suppress
from functools import cache, partial
from typing import Any

from arena.errors import InputError, UnknownNameError, unknown_name
from arena.foreign.game import MOST_TURNS, ForeignGame
from arena.game import games
from arena.types import Capabilities, GameSpec, IllegalRule, Payoff

_ID = re.compile(r"(?P<family>.+?)-v(?P<version>\d+)(?P<variant>-.+)?")
_ONLINE = {"Debate", "GuessWho", "ScenarioPlanning", "TwentyQuestions"}
_NOUNS = ("corpora/words", "taggers/averaged_perceptron_tagger_eng")
_NLTK = {
    "Codenames": _NOUNS,
    "DontSayIt": _NOUNS,
    "Wordle": _NOUNS,
    **dict.fromkeys(
        ("Hangman", "LetterAuction", "SpellingBee", "WordChains", "WordLadder", "WordSearch"), ("corpora/words",)
    ),
}
_PLAYERS = (2, 1, *range(3, 16))
_PROMPT_SEEDS = (0, 1)
_RANGES = {"Set": (-1.0, 20.0)}


@games.family("textarena")
def load(name: str) -> ForeignGame:
    """TextArena's games by name, a variant before the version: textarena/TicTacToe-v0, textarena/Nim-medium-v0.

    Raises:
        InputError: TextArena is not installed, does not know the name, or the game cannot be played offline with what
            is installed.
    """
    return _load(name)


@cache
def _load(name: str) -> ForeignGame:
    known = textarena_ids()
    if name not in known:
        raise _unknown(name, known)
    match = _ID.fullmatch(known[name])
    assert match is not None  # textarena_ids lists no other
    family = match["family"]
    _refuse_left_out(name, family)
    try:
        return _foreign_game(name, known[name], family)
    except Exception as error:
        raise InputError(
            f"game: expected 'textarena/{name}' to open offline, got {type(error).__name__}: {error}; "
            "it needs another Python or what is not installed: choose another game"
        ) from error


def textarena_ids() -> dict[str, str]:
    """Returns TextArena's id of each name here.

    Raises:
        InputError: TextArena is not installed.
    """
    try:
        from textarena.envs.registration import ENV_REGISTRY
    except ModuleNotFoundError as error:
        raise InputError(f"game: expected TextArena, got {error}; pip install 'ludus-arena[textarena]'") from error
    found = {}
    for inner_id in ENV_REGISTRY:
        match = _ID.fullmatch(inner_id)
        if match is not None and not inner_id.endswith(("-raw", "-train")):
            found[f"{match['family']}{match['variant'] or ''}-v{match['version']}"] = inner_id
    return found


def _unknown(name: str, known: dict[str, str]) -> UnknownNameError:
    ours = {inner_id: own for own, inner_id in known.items()}.get(re.sub("-(raw|train)$", "", name))
    if ours is None:
        return unknown_name("game: textarena/NAME, NAME", name, known)
    return UnknownNameError(
        f"game: expected the variant before the version, got 'textarena/{name}'; write 'textarena/{ours}'"
    )


def _refuse_left_out(name: str, family: str) -> None:
    if family in _ONLINE:
        raise InputError(
            f"game: expected a game that plays offline, got 'textarena/{name}', which asks a language model over the "
            "network (OpenRouter); choose another game"
        )
    missing = [path.partition("/")[2] for path in _NLTK.get(family, ()) if not _has_nltk(path)]
    if missing:
        raise InputError(
            f"game: expected nltk's data {' and '.join(missing)} for 'textarena/{name}', got none; "
            f"python -m nltk.downloader {' '.join(missing)}"
        )


def _has_nltk(path: str) -> bool:
    find = importlib.import_module("nltk.data").find  # nltk comes with TextArena
    for packed in (path, f"{path}.zip"):
        with suppress(LookupError):
            find(packed)
            return True
    return False


def _foreign_game(name: str, inner_id: str, family: str) -> ForeignGame:
    from arena.foreign.textarena_actions import VOCABULARIES
    from arena.foreign.textarena_env import TEXT_BYTES, TextArenaEnv, unwrapped

    vocabulary = VOCABULARIES.get(family)
    first, players = _open(inner_id)
    base = unwrapped(first)
    rules = _common_lines(inner_id, players)
    most_turns = vocabulary.most_turns(base) if vocabulary else None
    board_is_all = vocabulary is not None and vocabulary.board_is_all(base)
    make = partial(
        TextArenaEnv,
        inner_id,
        players,
        vocabulary=vocabulary,
        show=_show(inner_id, board_is_all),
        rules=frozenset(rules),
    )
    stem, _, version = name.rpartition("-v")
    spec = GameSpec(
        name=f"textarena/{stem}",
        version=int(version),
        seats=tuple(f"player_{index}" for index in range(players)),
        payoff=Payoff.ZERO_SUM if type(base.state).__name__ == "TwoPlayerState" else Payoff.GENERAL_SUM,
        max_turns=most_turns or MOST_TURNS,
        returns_range=_RANGES.get(family, (-1.0, 1.0)),
        actions=make().actions,
        capabilities=Capabilities(fork=False, enumerate=False, state_text=False),
        illegal=IllegalRule(kind="retry", retries=1),
        summary=f"TextArena's {inner_id}",
        text_bytes=TEXT_BYTES,
    )
    return ForeignGame(
        make,
        spec=spec,
        rules="\n".join(rules),
        observe_text=lambda env, agent: str(env.text(agent)),
        params=(),
    )


def _open(inner_id: str) -> tuple[Any, int]:
    """Returns an environment of a game, reset for as many players as it takes at least, and their number."""
    from arena.foreign.textarena_env import Stream, make

    failure = ""
    for players in _PLAYERS:
        try:
            with Stream(0).drawing():
                env = make(inner_id)
                env.reset(num_players=players, seed=0)
            return env, players
        except (AssertionError, LookupError, TypeError, ValueError) as error:
            failure = failure or f"{type(error).__name__}: {error}"
    raise InputError(f"a number of players from 1 to {max(_PLAYERS)} to be right, got {failure}")


def _common_lines(inner_id: str, players: int) -> list[str]:
    """Returns the lines that the opening prompts of every seat and of several seeds share, in order."""
    from arena.foreign.textarena_env import Stream, lines, make, unwrapped

    prompts: list[list[str]] = []
    for seed in _PROMPT_SEEDS:
        with Stream(seed).drawing():
            env = make(inner_id)
            env.reset(num_players=players, seed=seed)
        for messages in unwrapped(env).state.observations.values():
            said = [text for _, text, kind in messages if kind.name == "PROMPT"]
            prompts.append([line for text in said for line in lines(text)])
    shared = set(prompts[0]).intersection(*prompts[1:])
    return [line for line in dict.fromkeys(prompts[0]) if line in shared]


def _show(inner_id: str, board_is_all: bool) -> Any:  # noqa: ANN401 - the class is imported late
    """Returns which messages a seat needs, by the wrapper that TextArena registers for training."""
    from textarena.envs.registration import ENV_REGISTRY

    from arena.foreign.textarena_env import Show

    spec = ENV_REGISTRY.get(f"{inner_id}-train", ENV_REGISTRY[inner_id])
    wrappers = {wrapper.__name__ for wrapper in spec.default_wrappers or ()}
    if board_is_all or "GameBoardObservationWrapper" in wrappers:
        return Show(events=False)
    return Show(answers=not any(name.startswith("GameMessages") for name in wrappers))
