"""Programs that read the files we write. One class each, and one row in `PEERS`."""

from __future__ import annotations

from gearwright.conversion.peers.peer import Peer
from gearwright.conversion.peers.peer import PeerRefusedError as PeerRefusedError
from gearwright.registry import Registry

PEERS: Registry[type[Peer]] = Registry(
    "gearwright.conversion_peers",
    {
        "MuJoCo": "gearwright.conversion.peers.mujoco:MuJoCo",
        "Pinocchio": "gearwright.conversion.peers.pinocchio:Pinocchio",
        "Drake": "gearwright.conversion.peers.drake:Drake",
    },
)
