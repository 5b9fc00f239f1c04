"""Places of numbers: coordinates of axes, slots that layers share."""
