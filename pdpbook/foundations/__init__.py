"""Part 1 of the book: why noise, differential privacy, mechanisms, the random sampling query."""
