"""Derivatives of roll-outs: by parameters, by where they start, and by what acts."""
