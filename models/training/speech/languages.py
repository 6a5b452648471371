"""Owns the balance of languages: in the corpus most English is artificial and most other speech is of people, so that a model learns the language."""

import math

import numpy

from scoring import weigh

ENGLISH, UNKNOWN = "English", "unknown"


def to_groups(rows):
    """Returns of each row its group: English, other languages, or none where the language is not known."""
    return numpy.where(rows.languages == UNKNOWN, "", numpy.where(rows.languages == ENGLISH, "English", "others"))


def balance_languages(rows, members):
    """Returns weights by source in which people and systems of a group weigh the same; labels weigh the same on the whole."""
    is_artificial, groups = rows.is_artificial[members], to_groups(rows)[members]
    shares = weigh(rows.sources[members], is_artificial)
    for group in ("English", "others"):
        sides = [(groups == group) & (is_artificial == side) for side in (False, True)]
        sums = [shares[side].sum() for side in sides]
        if min(sums) == 0:
            continue
        for side, total in zip(sides, sums):
            shares[side] *= math.sqrt(sums[0] * sums[1]) / total
    for side in (is_artificial, ~is_artificial):
        shares[side] *= 0.5 / shares[side].sum()
    return shares


def describe_languages(rows, logits, usable):
    """Prints, as found, which share of people's recordings lies above the middle of both labels' means, by group."""
    clean = usable & (rows.tiers == 0)

    def share(mask, values):
        weights = weigh(rows.sources[mask], rows.is_artificial[mask])
        return float(numpy.average(values[mask], weights=weights))

    people, systems = clean & ~rows.is_artificial, clean & rows.is_artificial
    middle = (share(people, logits) + share(systems, logits)) / 2
    for group in ("English", "others"):
        own = people & (to_groups(rows) == group)
        print(f"people, {group}: {100 * share(own, logits > middle):.0f} % above the middle, {len(set(rows.owners[own]))} owners", flush=True)
