"""The spanning tree: which joints are in it, and where the links are."""
