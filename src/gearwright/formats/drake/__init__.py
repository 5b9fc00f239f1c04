"""Elements of Drake's own."""
