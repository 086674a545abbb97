"""Training: rendering, engines, estimators, learners, the campaign loop and the command line."""
