"""The CPU back end: SIMD machine code by LLVM. Lanes, blocks and LLVM are known in this folder only.

passes ──▶ lowering, rollout, watch (LLVM text) ──▶ llvm (object code) ──▶ instance (memory, calls)
"""
