"""Joints that close loops, in a file or beside it."""
