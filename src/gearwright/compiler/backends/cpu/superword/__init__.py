"""One robot's alike values side by side in vectors: which they are, in which order, and where in memory."""
