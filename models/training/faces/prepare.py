"""Stage 1: lists the pictures, finds their faces with the appliance's detector, and writes the index.

The source of a portrait is its file name up to the first hyphen.
"""

import argparse
import csv
import hashlib
import json
import os
import subprocess
from collections import Counter
from pathlib import Path

from faces import INDEX_FILE, PIXELS_FILE
from sources import KINDS_FILE, assign_folds, find_name, read_patterns

SCRIPT = Path(__file__).parent / "find-faces.ts"
LIST_FILE = "list.txt"
FOUND_FILE = "found.json"
EXCLUDED_FILE = Path(__file__).parent / "excluded.tsv"
SCORE_MIN = 0.75
"""Less sure detections are too often no face."""


def read_rows(folder):
    with open(folder / "files.tsv", newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def list_portraits(folder, kinds):
    """Returns one row per portrait. A path may be written behind the name of its collection and a colon."""
    rows = []
    for row in read_rows(folder):
        file = row["file"].rpartition(":")[2]
        source = Path(file).name.partition("-")[0]
        rows.append({
            "path": str(folder / file), "file": file, "label": row["label"], "source": source,
            "kind": find_name(source, kinds, "other") if row["label"] == "artificial" else "human",
        })
    return rows


def find_faces(work, rows, node, detector):
    """Runs the detector over all pictures; what is there already is kept."""
    if (work / FOUND_FILE).exists():
        return
    (work / LIST_FILE).write_text("".join(f"{row['path']}\n" for row in rows), encoding="utf-8")
    subprocess.run([node, SCRIPT, detector, work / LIST_FILE, work], check=True)


def to_entry(row, found):
    box, region = found["box"], found["region"]
    return {
        **{name: row[name] for name in ("label", "source", "kind", "file")},
        "box": [box["x1"] - region["x"], box["y1"] - region["y"], box["x2"] - region["x"], box["y2"] - region["y"]],
        "left": region["x"], "picture": [found["width"], found["height"]],
        "width": region["width"], "height": region["height"], "offset": found["offset"],
    }


def choose(entries, scores):
    """Keeps the largest sure face of each picture: others are bystanders, or parts of the same face seen again."""
    with open(EXCLUDED_FILE, newline="", encoding="utf-8") as stream:
        excluded = {(row["file"], row["left"]) for row in csv.DictReader(stream, delimiter="\t")}
    chosen = {}
    for entry, score in zip(entries, scores):
        names = {(entry["file"], ""), (entry["file"], str(entry["left"]))}
        if score < SCORE_MIN or names & excluded:
            continue
        key = entry["file"]
        if key not in chosen or to_area(entry) > to_area(chosen[key]):
            chosen[key] = entry
    return list(chosen.values())


def to_area(entry):
    left, top, right, bottom = entry["box"]
    return (right - left) * (bottom - top)


def prepare(arguments):
    work = arguments.work
    work.mkdir(parents=True, exist_ok=True)
    rows = list_portraits(arguments.faces, read_patterns(KINDS_FILE))
    find_faces(work, rows, arguments.node, arguments.detector)
    found = json.loads((work / FOUND_FILE).read_text(encoding="utf-8"))
    entries = choose([to_entry(rows[face["index"]], face) for face in found], [face["score"] for face in found])
    folds = assign_folds(entries)
    for entry in entries:
        entry["fold"] = folds[entry["source"]]
    digest = hashlib.sha256((work / PIXELS_FILE).read_bytes()).hexdigest()
    temporary = work / f"{INDEX_FILE}.tmp"
    temporary.write_text(json.dumps({"sha256": digest, "faces": entries}, indent=0), encoding="utf-8")
    os.replace(temporary, work / INDEX_FILE)
    for name, count in sorted(Counter((e["label"], e["kind"], e["fold"]) for e in entries).items()):
        members = {e["source"] for e in entries if (e["label"], e["kind"], e["fold"]) == name}
        print(*name, f"{count} faces of {len(members)} sources")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="folder for the cache and checkpoints")
    parser.add_argument("--faces", type=Path, required=True, help="folder of portraits with files.tsv (label, file)")
    parser.add_argument("--detector", type=Path, required=True, help="the appliance's models/face-detector/model.onnx")
    parser.add_argument("--node", default="node", help="Node.js 24, in a checkout where npm ci was run")
    prepare(parser.parse_args())
