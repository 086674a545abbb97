"""The incremental key is the arena's default key."""

import pytest

from arena.foreign.history import History
from arena.game import default_information_key


@pytest.mark.parametrize("texts", [[], ["a board", "4"], ['say "hi"\n', "né", "", "🎲"]])
def test_it_equals_the_default_key(texts):
    history = History()
    history.extend(*texts)
    assert history.key("now") == default_information_key([*texts, "now"])
    history.extend("now", "go")
    assert history.key("") == default_information_key([*texts, "now", "go", ""])
