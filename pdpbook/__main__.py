"""The command ``pdpbook``, which ``python -m pdpbook`` is too."""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command, or say what to install for it, and end with its exit code."""
    try:
        from pdpbook.commands.main import main as command
    except ImportError as error:
        sys.exit(f"pdpbook: {error}")
    command(args=arguments, prog_name="pdpbook")


if __name__ == "__main__":
    main()
