"""What may touch what: pairs of shapes, and the surface that two of them make together."""
