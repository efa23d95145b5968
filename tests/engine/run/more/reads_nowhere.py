"""Reads memory that is not there, as a broken extension does."""

import ctypes

print("so far", flush=True)
ctypes.string_at(0)
