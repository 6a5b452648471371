"""Draws contact sheets of what was harvested: `python3 sheets.py --out /srv/corpus`. Each source is a label and its pictures."""

import argparse
import io
import subprocess
from pathlib import Path

from PIL import Image, ImageDraw

from candidates import FOLDER, read_tables
from looks import Looks
from owners import harvest_of
from pictures import open_upright

CELL = 80
COLUMNS = 14
ROWS = 14


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--source", action="append", help="this one, though it was looked at; may be given more than once")
    options = parser.parse_args()
    looks = Looks()
    by_source = {}
    for row in read_tables(options.out / FOLDER):
        wanted = row["source"] in options.source if options.source else row["source"] not in looks.of_source
        if row["media_kind"] != "audio" and wanted:
            by_source.setdefault((row["label"], row["source"]), []).append(row)
    folder = options.out / "sheets"
    folder.mkdir(exist_ok=True)
    first = 1 + max((int(path.stem) for path in folder.glob("[0-9]*.jpg")), default=0)
    cells = [cell for key in sorted(by_source) for cell in to_cells(key, by_source[key])]
    for number, start in enumerate(range(0, len(cells), COLUMNS * ROWS)):
        path = folder / f"{first + number:03}.jpg"
        draw_sheet(cells[start : start + COLUMNS * ROWS], options.out).save(path, quality=82)
        print(path)


def to_cells(key, rows):
    """Returns a label's text, then the rows."""
    label, source = key
    rows = sorted(rows, key=lambda row: row["path"])
    return [f"{label[:3]} {harvest_of(rows[0]['repository'])[:3]}\n{source}\n{rows[0]['what']}", *enumerate(rows, 1)]


def draw_sheet(cells, out):
    sheet = Image.new("RGB", (COLUMNS * CELL, ROWS * CELL), "white")
    pen = ImageDraw.Draw(sheet)
    for index, cell in enumerate(cells):
        left, top = index % COLUMNS * CELL, index // COLUMNS * CELL
        if isinstance(cell, str):
            pen.rectangle((left, top, left + CELL - 1, top + CELL - 1), fill="#ffe9a8")
            pen.text((left + 1, top), wrap(cell, 13), fill="black", spacing=0)
            continue
        number, row = cell
        try:
            sheet.paste(to_thumbnail(out / row["file"], row["media_kind"]), (left + 1, top + 1))
        except (OSError, ValueError, NotImplementedError) as error:
            # Pillow cannot write back some EXIF blocks that it reads: one picture must not end the sheets.
            pen.text((left + 2, top + 20), wrap(str(error), 15), fill="red")
        pen.rectangle((left + 1, top + CELL - 12, left + 4 + 6 * len(str(number)), top + CELL - 2), fill="black")
        pen.text((left + 3, top + CELL - 13), str(number), fill="#ffff00")
    return sheet


def wrap(text, width):
    lines = [line[at : at + width] for line in text.split("\n") for at in range(0, max(1, len(line)), width)]
    return "\n".join(lines[:7])


def to_thumbnail(path, media_kind):
    if media_kind == "image":
        return open_upright(path, CELL - 2)
    command = ["ffmpeg", "-v", "error", "-nostdin", "-ss", "0.7", "-i", str(path), "-frames:v", "1", "-vf", f"scale={CELL - 2}:-2", "-f", "image2pipe", "-c:v", "png", "-"]
    frame = Image.open(io.BytesIO(subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=60).stdout)).convert("RGB")
    frame.thumbnail((CELL - 2, CELL - 2))
    return frame


if __name__ == "__main__":
    main()
