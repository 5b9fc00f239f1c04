"""Reads USD: text by itself, binary and composed files through usd-core."""
