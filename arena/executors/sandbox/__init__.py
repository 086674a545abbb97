"""What confines CPython: the launcher stays outside, the zygote and its children run inside on the standard library."""
