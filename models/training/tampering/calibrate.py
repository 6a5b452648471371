"""Stage 6: fits what is shipped, from the left-out scores of all folds. Writes WORK/calibration.json."""

import argparse
import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))

from decisions import fit_decision
from evaluate import read_scores

CALIBRATION_FILE = "calibration.json"


def calibrate(work):
    decision = vars(fit_decision(read_scores(work)))
    (work / CALIBRATION_FILE).write_text(json.dumps(decision, indent=2), encoding="utf-8")
    print(json.dumps(decision, indent=2))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    calibrate(parser.parse_args().work)
