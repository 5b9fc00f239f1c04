"""Tapes and loops to LLVM text, and that to machine code."""
