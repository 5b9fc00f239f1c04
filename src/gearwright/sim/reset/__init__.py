"""From the positions and velocities that a caller gives to a whole state that closes its loops."""
