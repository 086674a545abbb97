"""The PettingZoo environments of others, guarded and offered like our own."""
