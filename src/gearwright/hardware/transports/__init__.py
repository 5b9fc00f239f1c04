"""Transports: sockets and terminals in front of the buses. They know frames and bytes, and no device."""
