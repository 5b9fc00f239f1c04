"""Learning environments over simulations, for Gymnasium: `Env` and `VectorEnv`."""

from gearwright.errors import GearwrightError

try:
    import gymnasium  # noqa: F401
except ImportError:
    raise GearwrightError("learning environments need gymnasium: pip install 'gearwright[learn]'") from None

from gearwright.learning.environments import Env, VectorEnv

__all__ = ["Env", "VectorEnv"]
