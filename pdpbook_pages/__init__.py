"""What the pages of the book use beside the package: their figures, and the tables of long runs."""

try:
    from myst_nb import glue as glue
except ImportError:  # a notebook has the values in its text

    def glue(name: str, variable: object, display: bool = True) -> None:
        """Hand a value to the text of a page where the book is built; elsewhere do nothing."""
