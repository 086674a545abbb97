"""Models: Hugging Face directories from the disk, and ludus-tiny, which is made here in seconds."""
