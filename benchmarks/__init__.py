"""Benchmarks and experiments; not shipped."""
