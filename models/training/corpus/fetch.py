"""Fetches repositories into the mirror: `python3 fetch.py --reserved DIR --list sources.tsv --mirror DIR --from URL OWNER/NAME …`.

What is reserved for measuring is refused before anything is fetched: in the mirror, a search for sources would look at it.
Names may come from the standard input, one a line. What the mirror holds stays. `--check` fetches nothing and prints the
names that may be fetched, for another program that fetches. Ends with 1 where a name is refused or a repository did not come.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from listing import read_sources
from mirror import NO_GIT_CONFIGURATION, find_mirrors
from owners import owner_of
from reserved import Reserved

NAMES_MAX = 100_000
"""Lines that are read from the standard input; a longer one is no list of repositories."""
SECONDS_MAX = 1800
"""Of one repository: a collection of some gigabytes on a slow line."""
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*/(?!\.{1,2}$)[A-Za-z0-9._-]+")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reserved", type=Path, required=True, help="folder of the two reserved lists")
    parser.add_argument("--list", type=Path, default=[], action="append", help="sources.tsv, whose owners may have been forked; may be given more than once")
    parser.add_argument("--mirror", type=Path, help="folder of fetched repositories, OWNER+NAME each")
    parser.add_argument("--from", dest="origin", help="what comes before OWNER/NAME in the address")
    parser.add_argument("--check", action="store_true", help="fetch nothing, print what may be fetched")
    parser.add_argument("repositories", nargs="*", metavar="OWNER/NAME")
    options = parser.parse_args()
    if not options.check and not (options.mirror and options.origin):
        parser.error("expected --mirror and --from, or --check")
    names = check_names(options.repositories or read_names(sys.stdin))
    listed = [row.repo for path in options.list for row in read_sources(path)]
    free, refused = divide(names, Reserved(options.reserved, [owner_of(name) for name in (*listed, *names)]))
    for name in refused:
        print(f"{name}: reserved, not fetched", file=sys.stderr)
    if options.check:
        print("".join(f"{name}\n" for name in free), end="")
        return 1 if refused else 0
    came = [fetch(name, options.mirror, options.origin) for name in free]
    return 0 if all(came) and not refused else 1


def read_names(stream):
    names = [line.strip() for _, line in zip(range(NAMES_MAX + 1), stream) if line.strip()]
    if not names or len(names) > NAMES_MAX:
        raise SystemExit(f"expected 1 to {NAMES_MAX:,} repositories, one a line, found {'more' if names else 'none'}")
    return names


def check_names(names):
    """Returns each name once. A name becomes a folder and a part of an address: nothing else is taken."""
    for name in names:
        if not NAME.fullmatch(name):
            raise SystemExit(f"expected OWNER/NAME, found {name!r}")
    return list(dict.fromkeys(names))


def divide(names, reserved):
    """Returns the names that may be fetched, and those that are reserved or share their name with a reserved one."""
    free, refused = [], []
    for name in names:
        (refused if reserved.holds_repository(name) else free).append(name)
    return free, refused


def fetch(name, mirror, origin):
    """Clones into a folder beside and renames it: a fetch that was cut off leaves no repository to harvest."""
    mirror.mkdir(parents=True, exist_ok=True)
    if name.lower() in find_mirrors(mirror):
        print(f"{name}: held")
        return True
    folder = mirror / name.replace("/", "+")
    part = mirror / f".{folder.name}.part"
    shutil.rmtree(part, ignore_errors=True)
    command = ["git", "-c", "core.hooksPath=/dev/null", "clone", "--quiet", "--bare", f"{origin.rstrip('/')}/{name}", str(part / "repo")]
    try:
        subprocess.run(command, check=True, timeout=SECONDS_MAX, env={**os.environ, **NO_GIT_CONFIGURATION})
    except subprocess.SubprocessError as error:
        shutil.rmtree(part, ignore_errors=True)
        print(f"{name}: did not come: {error}", file=sys.stderr)
        return False
    part.rename(folder)
    print(f"{name}: fetched")
    return True


if __name__ == "__main__":
    sys.exit(main())
