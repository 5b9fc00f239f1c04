"""Old spellings of couplings to <mimic>, in the file's own text, with a proof that the mechanism stays the same."""

from gearwright.migration.migrating import migrate
from gearwright.migration.report import Change, Migration

__all__ = ["Change", "Migration", "migrate"]
