"""Part 5 of the book: other noise, learning, social networks, collusion, audits."""
