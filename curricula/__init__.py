"""Which task comes next, what a task was worth, and the report that shows it."""
