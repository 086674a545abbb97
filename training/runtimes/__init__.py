"""Runtimes: where play and updates run."""
