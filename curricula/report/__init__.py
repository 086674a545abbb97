"""The inspector's first page: one self-contained HTML file, drawn from a run's log alone."""
