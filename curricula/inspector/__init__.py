"""Views of a run's tasks, read from its log alone: what was proposed, tried, paid, kept and dropped, and why.

``run_tasks`` folds the events into ledgers and keeps every task's history beside them. Each other module makes one
view of that: a mapping of JSON values, which a terminal, a page or a program may draw. Nothing here draws, trains or
opens a checkpoint, and nothing executes what it reads.
"""
