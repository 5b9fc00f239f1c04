"""The machine that code is made for: its name, its features, and how many lanes its registers hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any


@dataclass(frozen=True)
class Target:
    """A CPU as LLVM knows it."""

    triple: str
    cpu: str
    features: str

    def lanes(self, precision: str) -> int:
        """Robots per SIMD register: 512 bits with AVX-512, 256 with AVX2, 128 with NEON, otherwise one robot."""
        features = self.features.split(",")
        register_bits = next((bits for name, bits in _REGISTER_BITS.items() if f"+{name}" in features), 0)
        return max(1, register_bits // {"double": 64, "single": 32}[precision])

    def machine(self, optimisation: int = 2) -> Any:
        """LLVM's target machine: position-independent, small code model, so constants are one RIP-relative load."""
        from llvmlite import binding

        return binding.Target.from_triple(self.triple).create_target_machine(
            cpu=self.cpu, features=self.features, opt=optimisation, reloc="pic", codemodel="small"
        )


_REGISTER_BITS = {"avx512f": 512, "avx2": 256, "neon": 128}


@cache
def host() -> Target:
    """The CPU this process runs on."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    features = binding.get_host_cpu_features().flatten()
    return Target(binding.get_process_triple(), binding.get_host_cpu_name(), features)
