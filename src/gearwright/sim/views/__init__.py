"""What is read from a simulation: values by name, ports, observers, linear algebra."""
