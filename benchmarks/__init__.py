"""Measures studio_nb beside MuJoCo Studio's own web viewer, on one machine in one run.

`python -m benchmarks` opens both in the same Chromium and prints a table with ratios.
Nothing here is a test: what it prints depends on the machine, which it names.
"""
