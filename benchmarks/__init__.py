"""How fast the package is, and how near its releases: ``python -m benchmarks`` prints one table."""
