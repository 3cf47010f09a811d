"""The commands that write the tables which the book carries: long runs, each one file."""
