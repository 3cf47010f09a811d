"""Part 2 of the book: privacy of one record in one data set, and when noise is certainly enough."""
