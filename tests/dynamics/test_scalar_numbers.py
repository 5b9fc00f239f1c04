"""Numbers of NumPy are numbers of the equations: users build robots with them."""

import numpy as np

from gearwright.dynamics.algebra.scalar import is_number, is_zero


def test_numbers_of_numpy_are_numbers():
    assert is_number(np.float64(2.0)) and is_zero(np.float64(0.0)) and not is_zero(np.float64(2.0))
