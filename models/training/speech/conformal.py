"""Owns the threshold of `cautious` by conformal risk control over owners. Pure.

An owner is one recording chain, or one maker of several: its files are not independent, and a threshold that holds on files
says little of the next owner. The bound is that of Angelopoulos et al., Conformal Risk Control (2022): with n owners whose
own shares of accused files average R, the next owner's expected share is at most (n R + 1) / (n + 1), whatever the chains.
"""

import numpy


def to_owner_share(accused, owners):
    """Returns of each owner the share of its rows that is accused, in the order of the names."""
    names, inverse = numpy.unique(owners, return_inverse=True)
    return numpy.bincount(inverse, accused, len(names)) / numpy.bincount(inverse, minlength=len(names))


def to_bound(accused, owners):
    """Returns the most that the next owner's expected share of accused rows can be."""
    shares = to_owner_share(accused, owners)
    return float((shares.sum() + 1) / (len(shares) + 1))


def choose_conformal_threshold(probabilities, owners, risk_max):
    """Returns the lowest threshold above a human probability whose bound is at most `risk_max`.

    Fails where there are too few owners to promise it: no threshold is high enough then.
    """
    count = len(set(owners.tolist()))
    if 1 / (count + 1) > risk_max:
        raise ValueError(f"expected at least {int(1 / risk_max)} owners to promise {risk_max:g}, found {count}")
    values = numpy.unique(probabilities)
    low, high = 0, len(values) - 1
    # The bound falls as the threshold rises: halve the interval.
    while low < high:
        middle = (low + high) // 2
        if to_bound(probabilities > values[middle], owners) <= risk_max:
            high = middle
        else:
            low = middle + 1
    return float(numpy.nextafter(values[low], numpy.inf))
