"""From a simulation to a recording: which signals, in which memory."""
