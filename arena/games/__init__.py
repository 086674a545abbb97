"""The built-in games, one a module; importing a module registers its game in ``arena.game.games``."""
