"""Two trained seats and a population with three snapshots."""

from arena.types import PolicyId
from training.opponents.matchmaking import Population, SeatAssignment

SEATS = [SeatAssignment(seat=seat, role="player", policy="player", trained=True) for seat in ("first", "second")]
POPULATION = Population(
    live={"player": PolicyId(name="player", version=7)},
    snapshots={"player": [PolicyId(name="player.past", version=version) for version in (0, 3, 6)]},
)
