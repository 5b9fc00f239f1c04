"""Values read from a simulation: by name, by port, observers, linear algebra."""
