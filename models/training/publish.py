"""Owns how a pack replaces the one that is installed."""

import os
import shutil


def publish(folder, destination, names):
    """Replaces the files by renames, in the order of `names` and those that are there: the manifest comes last, since
    its SHA-256 tells which model it describes."""
    destination.mkdir(parents=True, exist_ok=True)
    found = [name for name in names if (folder / name).exists()]
    for name in found:
        shutil.copyfile(folder / name, destination / f".{name}.tmp")
    for name in found:
        os.replace(destination / f".{name}.tmp", destination / name)
