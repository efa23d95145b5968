"""From cures to edits: what is written, how it is verified before, and how files are replaced."""
