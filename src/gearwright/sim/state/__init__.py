"""The numbers of a batch of robots: names, places, inputs, and the memory itself."""
