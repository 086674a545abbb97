"""Seeds: derived from what they are for, the same everywhere, apart from each other."""

from itertools import product

from arena.seeds import chance_generator, derive, generator, player_seed, task_seed


def test_streams_do_not_coincide():
    seeds = [derive(label, *parts) for label in ("task", "player") for parts in product(range(5), repeat=3)]
    assert len(set(seeds)) == len(seeds)
    assert derive("a", 1, 11) != derive("a", 11, 1)
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_values_never_change():
    # Written down once; a change here changes every recorded episode.
    assert derive("chance", 0, 0) == 5177195657397844009
    assert task_seed(1, 2, 3) == derive("task", 1, 2, 3) == 1429579486515102820
    assert player_seed(1, 2, 3, 4) == derive("player", 1, 2, 3, 4)


def test_generators_repeat():
    assert chance_generator(5, 2).random() == generator("chance", 5, 2).random()
    assert chance_generator(5, 2).random() != chance_generator(5, 3).random()
