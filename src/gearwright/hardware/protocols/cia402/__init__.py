"""CiA 402 drives over CANopen: the object dictionary as a table, and the machines that serve it."""
