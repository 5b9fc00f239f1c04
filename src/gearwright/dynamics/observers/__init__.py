"""Answers about one instant: reactions, link motion, Jacobians; no part of a step."""
