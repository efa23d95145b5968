"""Proofs: programs run on the real engine, each in a process of its own, measured, and compared."""
