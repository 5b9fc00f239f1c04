"""The first minute: bundled robots shown, simulated and compared, and one page of pictures to look at."""
