"""The command ``pdpbook``, also ``python -m pdpbook``."""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit with its code, or name the extra that is missing."""
    try:
        from pdpbook.commands.main import main as command
    except ImportError as error:
        sys.exit(f"pdpbook: {error}")
    command(args=arguments, prog_name="pdpbook")


if __name__ == "__main__":
    main()
