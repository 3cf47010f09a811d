"""Part 4 of the book: data sets, metrics and the papers' experiments."""
