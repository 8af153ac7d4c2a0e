"""A seeded model of a GRPO run: the same files as a real one, at any speed, with every fault on demand.

It computes no gradient. Everything that it writes says so: `versions.engine` is `simulator`.
"""
