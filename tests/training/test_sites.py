"""Sites: what is shared, what needs none, and that micro-batches lose nothing."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from training_samples import random_rows, row, tiny_model

from training.sites import Site, micro_batches, plan_sites

MASK = ((1, 4), (2, 3), (0,))


def test_rows_that_differ_only_in_their_last_choice_share_one_input():
    plan = plan_sites([row(said=(1, 2, 0), support=MASK), row(said=(1, 3, 0), support=MASK)])
    assert plan.inputs == ((5, 6, 7, 1),)
    assert plan.sites == (Site(input=0, position=2, support=(1, 4)), Site(input=0, position=3, support=(2, 3)))
    assert plan.site_N.tolist() == [0, 1, 0, 1]
    assert plan.choice_N.tolist() == [0, 0, 0, 1]
    assert plan.row_N.tolist() == [0, 0, 1, 1]
    assert plan.offset_N.tolist() == [0, 1, 0, 1]
    assert plan.tokens_R.tolist() == [3, 3]


def test_a_free_token_is_its_own_choice_and_needs_a_site_even_at_the_end():
    plan = plan_sites([row(said=(1, 2))])
    assert plan.inputs == ((5, 6, 7, 1),)
    assert plan.choice_N.tolist() == [1, 2]
    assert {site.support for site in plan.sites} == {None}


def test_forced_tokens_need_no_site_but_count():
    plan = plan_sites([row(said=(1, 2), support=((1,), (2,)))])
    assert (plan.inputs, plan.sites, len(plan.site_N)) == ((), (), 0)
    assert plan.tokens_R.tolist() == [2]


def test_another_mask_is_another_site_on_the_same_input():
    plan = plan_sites([row(said=(1,), support=((1, 4),)), row(said=(1,), support=((1, 2),)), row(said=(1,))])
    assert plan.inputs == ((5, 6, 7),)
    assert len(plan.sites) == 3


def test_no_rows_make_an_empty_plan():
    plan = plan_sites([])
    assert (plan.inputs, plan.sites, plan.site_N.shape, plan.tokens_R.shape) == ((), (), (0,), (0,))
    assert list(micro_batches(plan, 100)) == []


@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 60))
def test_every_choice_token_hangs_on_the_site_that_predicts_it(seed, count, budget):
    rows = random_rows(MODEL, count, seed)
    plan = plan_sites(rows)
    assert len(set(plan.inputs)) == len(plan.inputs)
    assert len(set(plan.sites)) == len(plan.sites)
    for site, choice, index, offset in zip(plan.site_N, plan.choice_N, plan.row_N, plan.offset_N, strict=True):
        own, place = rows[index], plan.sites[site]
        seen = own.ids[: own.prompt_length + offset]
        assert plan.inputs[place.input][: place.position + 1] == seen
        token = own.ids[own.prompt_length + offset]
        assert token == (choice if place.support is None else place.support[choice])
        assert place.support == (None if own.support is None else own.support[offset])
    choices = [sum(own.support is None or len(own.support[o]) > 1 for o in range(3)) for own in rows]
    assert np.bincount(plan.row_N, minlength=count).tolist() == choices

    batches = list(micro_batches(plan, budget))
    assert sorted(int(i) for batch in batches for i in batch) == list(range(len(plan.inputs)))
    for batch in batches:
        padded = len(batch) * max(len(plan.inputs[i]) for i in batch)
        assert padded <= budget or len(batch) == 1


MODEL = tiny_model()
