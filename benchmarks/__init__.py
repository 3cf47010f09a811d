"""Benchmarks of the speed and accuracy of the package; ``python -m benchmarks`` prints a table."""
