"""Bodies, kinematics and the book's recursions; exact couplings take coordinates off."""
