"""Owns which sources of the inside harvest are left out together. Pure.

By owners: sources of one owner, or of one group (shared prompts, scenes, a site), fall into one fold. By families:
artificial sources of one family do, so that a fold's generators are ones that its network saw in the older collection at
most; human sources still go by owner. The older collection has no owners and is in every fold's learning.
"""

import zlib

FOLD_COUNT = 3


def assign_folds(described, by="owners", fold_count=FOLD_COUNT):
    """Returns the fold of each description (label, owner, group, family), None where it is always learnt from."""
    joined = join_owners(described)
    folds = []
    for one in described:
        name = joined.get(one["owner"])
        if by == "families" and one["label"] == "artificial" and one["family"]:
            name = f"family:{one['family']}"
        folds.append(None if not one["owner"] else zlib.crc32(f"left-out:{name}".encode()) % fold_count)
    return folds


def join_owners(described):
    """Returns {owner: the name of its component}, where owners that share a group are one component."""
    parents = {}

    def find(name):
        parents.setdefault(name, name)
        while parents[name] != name:
            name = parents[name]
        return name

    for one in described:
        if one["owner"]:
            first, second = find(f"owner:{one['owner']}"), find(f"group:{one['group'] or one['owner']}")
            low, high = sorted((first, second))
            parents[high] = low
    return {one["owner"]: find(f"owner:{one['owner']}") for one in described if one["owner"]}
