"""Executors: they run the programs that models wrote, behind one contract, and hand back text."""
