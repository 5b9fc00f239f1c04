"""Learning environments over simulations, for Gymnasium: `Env` and `VectorEnv`."""

from gearwright.optional import require

require("gymnasium", "a learning environment")

from gearwright.learning.environments import Env, VectorEnv  # noqa: E402

__all__ = ["Env", "VectorEnv"]
