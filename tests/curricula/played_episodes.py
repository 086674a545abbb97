"""Episodes of solving and proposing, played by the real rules and judged by the real verifier of a domain."""

from __future__ import annotations

from arena.domains.domain import domains
from arena.domains.verifier import DomainVerifier, undecided
from arena.game import games
from arena.games.propose_solve import PROPOSER
from arena.referee import Referee
from arena.types import Action, Completion, Episode, EpisodeGroup, PolicyId, Sampling, SeatPlan, Tag, Turn

VERIFIER = DomainVerifier()
ARITHMETIC = domains.make("arithmetic")


class Undecided:
    """A verifier that cannot tell whether an answer is right, for the calls of the given numbers."""

    def __init__(self, *calls):
        self.calls, self.asked = calls, 0

    def check(self, calls):
        verdicts = []
        for call in calls:
            skip = call.kind == "check" and self.asked in self.calls
            self.asked += call.kind == "check"
            verdicts += [undecided("test", "down")] if skip else VERIFIER.check([call])
        return verdicts


def completion(seat, policy):
    return Completion(
        id=seat,
        prompt_ids=(1,),
        token_ids=(2,),
        logprobs=(-1.0,),
        support=None,
        text="",
        finish_reason="stop",
        policy=policy,
        sampling=Sampling(),
        version_spans=((0, policy.version),),
    )


def play(task, said, id="e0", group_id="g0", policies=(), version=0, round_index=0, verifier=VERIFIER):
    """Returns the episode in which each seat says the text that ``said`` has for it (the solution by default).

    Args:
        task: what is played.
        said: by seat; a text, or a function of the problem.
        id: the episode's.
        group_id: its group's.
        policies: who sits where; by default one policy for the proposer and one for all solvers.
        version: of all policies.
        round_index: the round.
        verifier: who answers the calls.
    """
    referee, turns = Referee(games.make(task.game), task), []
    names = {seat: PROPOSER if seat == PROPOSER else "solver" for seat in referee.game.spec.seats} | dict(policies)
    plans = {
        seat: SeatPlan(policy=PolicyId(name=name, version=version), role=name, tag=Tag.LIVE)
        for seat, name in names.items()
    }
    while not referee.done:
        if referee.pending_call is not None:
            referee.resolve(*verifier.check([referee.pending_call]))
            continue
        for seat in referee.to_move:
            seen, text = referee.observe(seat), said[seat]
            turns.append(turn(seat, seen, text, referee, plans[seat].policy))
            referee.act(seat, Action(value=text))
    return Episode(
        id=id,
        task=task,
        group_id=group_id,
        round=round_index,
        lineup=plans,
        turns=tuple(turns),
        returns=referee.returns,
        status=referee.status,
        reason=referee.reason,
        calls=referee.calls,
    )


def turn(seat, seen, text, referee, policy):
    return Turn(
        seat=seat,
        env_step=referee.env_step,
        ordinal=0,
        observation=seen,
        completion=completion(seat, policy),
        action=text,
        reason="",
        legal=True,
        reward=0.0,
        node_id="",
        anchor_key="",
    )


def answered(tasks, answers, round_index=0, verifier=VERIFIER, **options):
    """Returns groups: each task is played once for each list of answers; ``None`` is the right answer."""
    groups = []
    for place, task in enumerate(tasks):
        right = ARITHMETIC.solution(task.params["problem"])
        seats = games.make(task.game).spec.seats
        episodes = [
            play(
                task,
                dict(zip(seats, [right if one is None else one for one in said], strict=True)),
                id=f"r{round_index}-t{place}-e{member}",
                group_id=f"r{round_index}-g{place}",
                round_index=round_index,
                verifier=verifier,
                **options,
            )
            for member, said in enumerate(answers)
        ]
        groups.append(EpisodeGroup(group_id=f"r{round_index}-g{place}", episodes=tuple(episodes)))
    return groups


def proposed(tasks, proposals, answers, round_index=0, verifier=VERIFIER):
    """Returns one group an episode: a proposal for each task, and what the solvers say to it."""
    groups = []
    for place, (task, text) in enumerate(zip(tasks, proposals, strict=True)):
        seats = [seat for seat in games.make(task.game).spec.seats if seat != PROPOSER]
        said = {PROPOSER: text, **dict(zip(seats, answers, strict=True))}
        id = f"r{round_index}-e{place}"
        episode = play(task, said, id=id, group_id=f"g-{id}", round_index=round_index, verifier=verifier)
        groups.append(EpisodeGroup(group_id=f"g-{id}", episodes=(episode,)))
    return groups
