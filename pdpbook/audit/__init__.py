"""Part 5 of the book: what the guarantee is worth, and what it costs."""
