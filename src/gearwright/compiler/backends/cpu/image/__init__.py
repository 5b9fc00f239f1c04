"""Machine code as bytes, which run without LLVM."""
