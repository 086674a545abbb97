"""Who sits in a seat: language-model roles, scripted players and people."""
