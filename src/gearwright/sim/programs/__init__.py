"""The programs of a simulation: which there are, the key of each in the cache, and their machine code."""
