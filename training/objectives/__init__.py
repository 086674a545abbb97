"""Objectives, one file each."""
