"""<transmission> in all its spellings."""
