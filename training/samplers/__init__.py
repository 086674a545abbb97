"""Samplers, one file each."""
