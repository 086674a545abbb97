"""Other libraries' games by name, one library a module; importing a module imports nothing of its library.

Each files a family of names in ``arena.game.games``: ``openspiel/NAME``, ``pettingzoo/NAME``, ``textarena/NAME``.
"""
