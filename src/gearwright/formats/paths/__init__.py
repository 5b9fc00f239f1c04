"""Where addresses in files lead: packages, includes, meshes."""
