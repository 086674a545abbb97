"""Rows split and leave without mixing up anybody's past."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from training.engines.static_kv.rows import regroup


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_every_request_keeps_its_own_history(data):
    requests = data.draw(st.integers(1, 12))
    prompts = data.draw(st.lists(st.integers(0, 2), min_size=requests, max_size=requests))
    distinct = sorted(set(prompts))
    row_L = np.array([distinct.index(prompt) for prompt in prompts])
    rows, shared = len(distinct), len(distinct) < requests
    cells = [(prompt,) for prompt in distinct] + [None] * requests  # what each cache row has read
    live = list(range(requests))
    past = [(prompt,) for prompt in prompts]
    for _ in range(data.draw(st.integers(1, 5))):
        tokens = data.draw(st.lists(st.integers(0, 3), min_size=len(live), max_size=len(live)))
        going = [token != 3 for token in tokens]  # 3 ends a request
        if not any(going):
            break
        keep = np.array(going)
        plan = regroup(row_L[keep], np.array(tokens)[keep], rows, 4, shared=shared)
        live = [request for request, goes in zip(live, going, strict=True) if goes]
        for request, token in zip(live, np.array(tokens)[keep].tolist(), strict=True):
            past[request] = (*past[request], token)
        assert not set(plan.sources.tolist()) & set(plan.targets.tolist())
        for source, target in zip(plan.sources.tolist(), plan.targets.tolist(), strict=True):
            cells[target] = cells[source]
        rows = len(plan.token_R)
        for row, token in enumerate(plan.token_R.tolist()):
            cells[row] = (*(cells[row] or ()), token)
        row_L, shared = plan.row_L, plan.shared
        for request, row in zip(live, row_L.tolist(), strict=True):
            assert cells[row] == past[request]
        if shared or len(set(past)) == len(past):
            assert len(set(row_L.tolist())) == len({past[request] for request in live})


def test_a_few_idle_rows_are_kept_and_many_are_dropped():
    few = regroup(np.arange(1, 8), np.ones(7, dtype=np.int64), 8, 4, shared=False)
    assert (len(few.token_R), len(few.sources)) == (8, 0)
    many = regroup(np.arange(3, 8), np.ones(5, dtype=np.int64), 8, 4, shared=False)
    assert (len(many.token_R), many.sources.tolist(), many.targets.tolist()) == (5, [5, 6, 7], [0, 1, 2])
