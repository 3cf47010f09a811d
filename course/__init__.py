"""The course kit: the book's exercises as assignments, and grades that a submission cannot fake."""
