"""Owns the two harvests: which repositories are for learning and choosing, and which for measuring alone."""

import hashlib

INSIDE = "inside"
OUTSIDE = "outside"
OUTSIDE_ONE_IN = 5
"""A fifth of all owners is measured only."""


def owner_of(repository):
    """Returns the lower-case owner of `owner/name`."""
    owner, slash, name = repository.partition("/")
    if not (owner and slash and name) or "/" in name:
        raise ValueError(f"expected owner/name, found {repository!r}")
    return owner.lower()


def harvest_of(repository):
    """Returns INSIDE or OUTSIDE: the hash of the owner's name decides, before anything is looked at."""
    digest = hashlib.sha256(f"assay-harvest:{owner_of(repository)}".encode()).digest()
    return OUTSIDE if digest[0] * 256 + digest[1] < 65536 // OUTSIDE_ONE_IN else INSIDE
