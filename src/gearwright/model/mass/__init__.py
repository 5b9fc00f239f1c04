"""Mass: of links, of solids, of rotors, and the coordinates that move none."""
