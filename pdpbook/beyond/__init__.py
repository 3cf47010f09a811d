"""Part 6 of the book: other noise, learning, social networks, collusion."""
