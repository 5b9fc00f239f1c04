"""A step as a page for each integrator, and the builder that owns its stages and slots."""
