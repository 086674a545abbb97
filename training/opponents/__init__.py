"""Matchmaking, one file a kind."""
