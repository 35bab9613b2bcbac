"""``python -m lostcities_env`` is the command ``lostcities``."""

from lostcities_env.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
