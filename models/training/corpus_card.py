"""Owns the card of a version whose network stayed: sections that still hold come from the card of before."""

import re
from pathlib import Path

CARD_FILE = "CARD.md"
TEMPLATE = Path(__file__).parent / "corpus-card.md"
KEPT = ("What it does not judge", "Computed in bytes", "Not measured")


def read_sections(text):
    """Returns {title: body} of the second-level sections of a card."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return {title: body.strip() for title, body in zip(parts[1::2], parts[2::2])}


def write_card(folder, manifest, filled):
    sections = read_sections((folder / CARD_FILE).read_text(encoding="utf-8"))
    decision, calibration = manifest["decision"], manifest["calibration"]
    values = {
        **filled, "version": manifest["version"], "trained": manifest["trainedOn"],
        "slope": calibration["slope"], "intercept": calibration["intercept"], "threshold": decision["cautiousThreshold"],
        "low": decision["inconclusiveLow"], "high": decision["inconclusiveHigh"],
        "kept": "\n\n".join(f"## {title}\n{sections[title]}" for title in KEPT),
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"{{{{{name}}}}}", str(value))
    missing = re.findall(r"\{\{\w+\}\}", text)
    if missing:
        raise SystemExit(f"{TEMPLATE.name}: nothing was given for {', '.join(missing)}")
    (folder / CARD_FILE).write_text(text, encoding="utf-8")
