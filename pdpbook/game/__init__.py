"""Part 3 of the book: the noise-variance-optimization game and its solvers."""
