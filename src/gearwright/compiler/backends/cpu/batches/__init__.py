"""A batch of robots in memory, and the threads that step it."""
