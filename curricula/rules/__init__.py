"""The learnability rules that come with Ludus, one file per family."""
