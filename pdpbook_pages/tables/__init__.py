"""The commands that compute the stored tables of the book in long runs, one file each."""
