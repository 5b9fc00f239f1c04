"""Which files are USD, by their first bytes."""

from __future__ import annotations

from pathlib import Path

TEXT = b"#usda"
BINARY = b"PXR-USDC"
PACKED = b"PK\x03\x04"  # of .usdz, as of other archives


def is_usd(data: bytes, file: Path | None) -> bool:
    packed = data.startswith(PACKED) and file is not None and file.suffix.lower() == ".usdz"
    return packed or data.startswith((TEXT, BINARY))
