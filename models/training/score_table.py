"""Owns the table of left-out scores that ships beside a card, from which anyone can compute its figures again."""

import csv

DIGITS = 4


def write_score_table(path, labels, sources, log_odds_by_tier):
    """Writes one row per medium: label, source, and the log-odds in each tier."""
    with open(path, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerow(["label", "source", *log_odds_by_tier])
        columns = [[f"{value:.{DIGITS}f}" for value in part] for part in log_odds_by_tier.values()]
        writer.writerows(zip(labels, sources, *columns))


def read_score_table(path):
    """Returns (labels, sources, {tier: log-odds}) as they were written."""
    with open(path, newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    tiers = [name for name in rows[0] if name not in ("label", "source")]
    by_tier = {name: [float(row[name]) for row in rows] for name in tiers}
    return [row["label"] for row in rows], [row["source"] for row in rows], by_tier
