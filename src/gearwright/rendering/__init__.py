"""Pictures and films of robots, without a browser."""
