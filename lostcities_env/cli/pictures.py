"""Arguments that ask for pictures of a game, and the files that come of them."""

import argparse
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from gymnasium.error import DependencyNotInstalled

from lostcities_env.cli.arguments import UsageError, positive
from lostcities_env.cli.files import check_writable, replacing
from lostcities_env.render import extra
from lostcities_env.render.look import LARGEST_SCALE

if TYPE_CHECKING:
    from lostcities_env.render.film import Film

FPS = 2
MOST_FPS = 50
"""As many as a GIF can show."""
_FILMS = {"gif": "PIL", "mp4": "av"}
"""What each kind of film needs besides pygame."""


def add_picture_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what says which pictures are wanted."""
    group = parser.add_argument_group("pictures (the render extra)")
    group.add_argument("--gif", type=Path, metavar="FILE", help="write the game as an animated GIF")
    group.add_argument("--mp4", type=Path, metavar="FILE", help="write the game as a film")
    group.add_argument("--png", type=Path, metavar="FILE", help="write one picture: the end, or see --turn")
    group.add_argument(
        "--turn", type=int, metavar="N", help="the picture of --png is that after N turns (0: the first deal)"
    )
    group.add_argument(
        "--fps",
        type=positive,
        default=FPS,
        metavar="F",
        help="turns a second of films (default: %(default)s)",
    )
    group.add_argument(
        "--viewer", type=int, choices=(0, 1), help="hide what this player can't see (default: show all cards)"
    )
    group.add_argument(
        "--scale",
        type=positive,
        default=1,
        metavar="K",
        help="size; 1 is about 900 pixels wide, 2 is for print (default: %(default)s)",
    )


def wants_pictures(arguments: argparse.Namespace) -> bool:
    """Whether any file is asked for; checks, before anything is played, that it can be written.

    Raises:
        UsageError: if a library is missing, or an argument or the name of a file is wrong.
    """
    for option, limit in (("fps", MOST_FPS), ("scale", LARGEST_SCALE)):
        value = getattr(arguments, option)
        if value > limit:
            raise UsageError(f"--{option} {value} is more than {limit}")
    if arguments.turn is not None and arguments.png is None:
        raise UsageError("--turn says which picture --png writes, and that is missing")
    if arguments.turn is not None and arguments.turn < 0:
        raise UsageError(f"--turn {arguments.turn} is not a whole number from 0 on")
    files = [(kind, getattr(arguments, kind)) for kind in (*_FILMS, "png")]
    wanted = [(kind, path) for kind, path in files if path is not None]
    for kind, path in wanted:
        if path.suffix.lower() != f".{kind}":
            raise UsageError(f"--{kind} {path}: the name of the file must end in .{kind}")
        try:
            for module in ("pygame", "PIL", _FILMS.get(kind, "PIL")):
                extra.require(f"--{kind}", module)
        except DependencyNotInstalled as error:
            raise UsageError(error) from error
        check_writable(path)
    return bool(wanted)


def write_pictures(arguments: argparse.Namespace, film: "Film") -> None:
    """Writes what is asked for, and says so.

    Raises:
        UsageError: if the game has no such turn, or a file cannot be written.
    """
    turns = list(accumulate(moment.action is not None for moment in film.moments))
    turn = turns[-1] if arguments.turn is None else arguments.turn
    if turn > turns[-1]:
        raise UsageError(f"--turn {turn}: the game has {turns[-1]} turns")
    print()
    for kind in ("gif", "mp4", "png"):
        path: Path | None = getattr(arguments, kind)
        if path is None:
            continue
        with replacing(path) as temporary:
            try:
                if kind == "png":
                    film.write_png(temporary, turns.index(turn))
                elif kind == "gif":
                    film.write_gif(temporary, arguments.fps)
                else:
                    film.write_mp4(temporary, arguments.fps)
            except OSError as error:
                raise UsageError(f"cannot write {path}: {error.strerror}") from error
            kilobytes = -(-temporary.stat().st_size // 1000)
        print(f"{path}: {kilobytes} kB")
