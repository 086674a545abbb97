"""The command line: one module a verb, each loaded only when its verb is asked for."""
