"""What the pages of the book use beside the package: their figures, and the tables of long runs."""
