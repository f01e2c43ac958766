"""Presets of GPUs beside measured chips: what `memsim silicon` runs, and the figures that it compares with."""
