"""Schedules, one file each."""
