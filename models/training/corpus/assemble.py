"""Makes the manifests of what was harvested: `python3 assemble.py --out /srv/corpus [--shared DIR] [--add]`.

Leaves out what looking dropped, sources that were not looked at, equal files, and near duplicates within the corpus and of
the collection at hand; gives every file its harvest, generator or kind, family, language and group. With --add the manifests
keep the rows that they have, and what is new is added: the tables of an earlier harvest need not be there.
"""

import argparse
from collections import Counter
from pathlib import Path

from at_hand import read_at_hand
from candidates import FOLDER as FOUND
from candidates import read_tables
from looks import Looks
from manifests import COLUMNS, KINDS, media_kind_of, read_manifest, write_manifest
from names import Names
from near import Prints
from owners import OUTSIDE, harvest_of
from pdq import NEAR_BITS

NEAR_BITS_OF_SOUND = 40
"""Copies of one recording in other codecs differ by less, other sentences of one speaker by more."""
AT_HAND = "at hand"
LOOKED_AT_MEDIA = ("image", "video")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="where harvest.py put the files")
    parser.add_argument("--shared", type=Path, help="the collection at hand: its near duplicates are left out")
    parser.add_argument("--kind", choices=KINDS, action="append", help="only this manifest; may be given more than once: the others stay as they are")
    parser.add_argument("--add", action="store_true", help="keep the rows that the manifests have")
    options = parser.parse_args()
    rows = list(read_tables(options.out / FOUND))
    held = [{**row, "kind": kind} for kind in KINDS for row in read_manifest(kind)] if options.add else []
    assembled, left_out = assemble(rows, Looks(), Names(), read_at_hand(options.shared, options.out) if options.shared else [], held)
    for kind in options.kind or KINDS:
        chosen = [row for row in assembled if row["kind"] == kind]
        write_manifest(kind, [{name: value for name, value in row.items() if name in COLUMNS} for row in chosen])
        print(f"{kind}: {len(chosen)} files of {len({row['source'] for row in chosen})} sources")
    print("left out:", ", ".join(f"{reason} {count}" for reason, count in left_out.most_common()))


def assemble(rows, looks, names, at_hand, held=()):
    """Returns the rows that count, named, and a count of reasons for the others; `held` ones count as they are.

    Where two files are alike and their owners lie on different sides, the one outside is kept: learning has enough.
    """
    left_out = Counter()
    seen = set()
    prints = {"audio": Prints(NEAR_BITS_OF_SOUND)}
    prints["image"] = prints["video"] = Prints(NEAR_BITS)
    for digits, name in at_hand:
        prints["image"].add(digits, (AT_HAND, name))
    kept = []
    for row in held:
        decision = looks.decide(row["source"], row["sha256"], row["path"])
        if decision and decision["decision"] == "drop":
            left_out[f"dropped: {decision['reason'].split(':')[0]}"] += 1
            continue
        kept.append({**row, **names.name_by_file(row)} if row["kind"] == "speech" else row)
        seen.add(row["sha256"])
        prints[media_kind_of(row)].add(row["print"], (row["repository"], row["label"]))
    for row in sorted(rows, key=_order):
        reason = _judge(row, looks, seen, prints[row["media_kind"]])
        if reason:
            left_out[reason] += 1
            continue
        row = {**row, **names.name(row), "harvest": harvest_of(row["repository"]), "licence": row["licence"].strip(" ?") or "unknown"}
        decision = looks.decide(row["source"], row["sha256"], row["path"])
        if decision and decision["decision"] in ("human", "artificial", "edited", "enhanced"):
            row["label"] = decision["decision"]
            row["kind"] = "edit" if row["label"] == "edited" else row["kind"]
        if decision and decision["what"]:
            row["what"] = decision["what"]
        medium = looks.media.find(row["source"], row["sha256"], row["path"])
        if row["label"] == "human" and medium and medium["medium"] != "photograph":
            row["what"] = row["family"] = medium["medium"]
        kept.append(row)
    return kept, left_out


def _order(row):
    return (harvest_of(row["repository"]) != OUTSIDE, row["label"] != "human", row["repository"].lower(), row["path"], row["sha256"])


def _judge(row, looks, seen, prints):
    decision = looks.decide(row["source"], row["sha256"], row["path"])
    if decision and decision["decision"] == "drop":
        return f"dropped: {decision['reason'].split(':')[0]}"
    if decision is None and row["media_kind"] in LOOKED_AT_MEDIA:
        return "not looked at"
    if row["sha256"] in seen:
        return "equal file"
    alike = prints.find(row["print"]) + (prints.find(row["mirrored"]) if row["mirrored"] else [])
    # An original and its edit in one repository are a pair that is wanted.
    alike = [name for name in alike if name[0] != row["repository"] or name[1] == row["label"]]
    if alike:
        return "near duplicate of the collection at hand" if alike[0][0] == AT_HAND else "near duplicate"
    seen.add(row["sha256"])
    prints.add(row["print"], (row["repository"], row["label"]))
    return None


if __name__ == "__main__":
    main()
