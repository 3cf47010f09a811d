"""How fast the package is: ``python -m benchmarks`` measures and prints one table."""
