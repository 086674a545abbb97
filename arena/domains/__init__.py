"""Domains: families of problems whose answers a verifier can judge."""
