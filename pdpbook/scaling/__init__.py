"""Part 7 of the book: tables beyond one machine's memory, on Dask."""
