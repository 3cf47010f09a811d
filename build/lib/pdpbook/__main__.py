"""``python -m pdpbook`` is the command ``pdpbook``."""

from pdpbook.commands.main import main

if __name__ == "__main__":
    main()
