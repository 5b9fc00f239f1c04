"""A mechanism for people to look at: in the terminal, as a drawing, as plain data. Nothing here reads files."""
