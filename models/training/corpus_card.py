"""Owns the card of a version of the image pack: sections that still hold come from the card of before."""

import re
from pathlib import Path

CARD_FILE = "CARD.md"
TEMPLATE = Path(__file__).parent / "corpus-card.md"
KEPT = ("What it does not judge", "Computed in bytes", "Not measured")


def describe_decision(manifest):
    """Returns {name in a template: text}, in the digits that a reader needs; `model.json` has all of them."""
    calibration, decision = manifest["calibration"], manifest["decision"]
    sign = "−" if calibration["intercept"] < 0 else "+"
    return {
        "line": f"{calibration['slope']:.3f} × score {sign} {abs(calibration['intercept']):.3f}",
        "threshold": f"{decision['cautiousThreshold']:.3g}",
        "low": f"{decision['inconclusiveLow']:.3g}", "high": f"{decision['inconclusiveHigh']:.3g}",
    }


def read_sections(text):
    """Returns {title: body} of the second-level sections of a card."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return {title: body.strip() for title, body in zip(parts[1::2], parts[2::2])}


def write_card(folder, manifest, filled):
    sections = read_sections((folder / CARD_FILE).read_text(encoding="utf-8"))
    values = {
        **filled, "version": manifest["version"], "trained": manifest["trainedOn"],
        **describe_decision(manifest),
        "kept": "\n\n".join(f"## {title}\n{sections[title]}" for title in KEPT),
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"{{{{{name}}}}}", str(value))
    missing = re.findall(r"\{\{\w+\}\}", text)
    if missing:
        raise SystemExit(f"{TEMPLATE.name}: nothing was given for {', '.join(missing)}")
    (folder / CARD_FILE).write_text(text, encoding="utf-8")
