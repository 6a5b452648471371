"""Owns what counts as a whole picture, and what its file says of itself."""

import io
import re
import warnings
from fractions import Fraction

import numpy as np
from PIL import ExifTags, Image, ImageOps

from pdq import REDUCED_SIDE, hash_picture

EXTENSIONS = ("jpg", "jpeg", "png", "webp", "tif", "tiff", "bmp")
FORMATS = ("JPEG", "PNG", "WEBP", "TIFF", "BMP", "MPO")
SIDE_MIN = 256
SIDE_MIN_OF_ANY_MEDIUM = 128
"""What the appliance judges at least: small pictures are learnt as small ones."""
PIXELS_MAX = 60_000_000
"""What is decoded at most: 180 MB of RGB."""
BYTES_MAX = 16_000_000
FLAT_SHARE_MAX = {"JPEG": 0.9}
FLAT_SHARE_MAX_OTHERS = 0.7
"""Pictures in which more neighbouring pixels are equal are drawings of programs: icons, screenshots, charts. A JPEG's blurred
background is flat too, blocks of eight at a time."""
HASHED_SIDE = 1024
"""Larger ones are reduced for the hash while the JPEG is decoded, which moves a bit or two."""

LEFT_OUT_NAMES = re.compile(
    r"screen[ _-]?sho|screen[ _-]?cap|screencast|bildschirmfoto|capture[ _]d|snipaste|截屏|截图|favicon|(^|[/_.-])(icons?|logo|badge|"
    r"banner|thumb(nail)?s?|avatar|diagram|architecture|flowchart|chart|plot|graph|qr|qrcode|barcode|sprite|mockup|wireframe|"
    r"uml|schema|matrix|histogram|loss|curve|framework|pipeline|teaser|overview|mask|masks|depth|canny|scribble|sketch|"
    r"heatmap|openpose|lineart|segmentation|annotat[a-z]*|contact[_-]?sheet|collage)([/_.\d-]|$)",
    re.IGNORECASE,
)
"""Of a path: what is no photograph and no generator's picture, or several in one."""
LEFT_OUT_OF_ANY_MEDIUM = re.compile(
    r"favicon|(^|[/_.-])(thumb(nail)?s?|qr|qrcode|barcode|sprites?|spritesheet|masks?|depth|canny|openpose|segmentation|heatmap|"
    r"annotat[a-z]*|contact[_-]?sheet|node_modules|vendor|plugins|fontawesome|flags?)([/_.\d-]|$)",
    re.IGNORECASE,
)
"""The same where a row takes pictures of any medium: drawings, screenshots and charts count there."""
INPUT_NAMES = re.compile(
    r"(^|[/_.-])(inputs?|init|src|source|origin(al)?s?|ref|refs|reference[sd]?|before|raw|real|gt|ground[_-]?truth|control|condition|"
    r"cond|guide|content|style|target|garments?|cloth(es)?|person|user|upload(s|ed)?|examples?_in|lr|low[_-]?res|train(ing)?|datasets?|"
    r"val|compare[d]?|comparison|vs|side[_-]?by[_-]?side|grid|ui|demo_ui|webui|interface|settings|workflow)([/_.\d-]|$)",
    re.IGNORECASE,
)
"""Of a path below an artificial source's folder: what may be an input, or hold inputs beside outputs."""

_GENERATOR_MARKS = (
    (b"trainedAlgorithmicMedia", "iptc"),
    (b"compositeWithTrainedAlgorithmicMedia", "iptc"),
    (b"c2pa.claim", "c2pa"),
    (b"jumbc2pa", "c2pa"),
    (b"sd-metadata", "invokeai"),
    (b"invokeai_metadata", "invokeai"),
    (b"\"class_type\"", "comfyui"),
    (b"Negative prompt:", "a1111"),
    (b"Sampler: ", "a1111"),
    (b"Software\x00NovelAI", "novelai"),
    (b"Dream\x00", "dream"),
)
_CHECKPOINT = re.compile(rb'"(?:ckpt_name|unet_name|model_name)"\s*:\s*"([^"]{3,90})"|(?:^|[,\n] ?)Model: ([^,\n]{2,80})')


class Refused(Exception):
    """A file is not taken; the message is the reason, one word or two."""


def read_picture(content, path, any_medium=False):
    """Returns what a manifest says of a picture, a photograph unless `any_medium`. Raises Refused with the reason."""
    if (LEFT_OUT_OF_ANY_MEDIUM if any_medium else LEFT_OUT_NAMES).search(path):
        raise Refused("name")
    if content.startswith(b"version https://git-lfs"):
        raise Refused("lfs pointer")
    if content.startswith(b"/annex/") or len(content) < 4096:
        raise Refused("tiny file")
    picture, size, picture_format, said = _decode(content)
    if min(size) < (SIDE_MIN_OF_ANY_MEDIUM if any_medium else SIDE_MIN):
        raise Refused("small")
    if max(size) > 6 * min(size):
        raise Refused("strip")
    flat = measure_flatness(picture)
    if not any_medium and flat > FLAT_SHARE_MAX.get(picture_format, FLAT_SHARE_MAX_OTHERS):
        raise Refused("flat")
    block = max(1, min(picture.size) // REDUCED_SIDE)
    print_, mirrored, quality = hash_picture(np.asarray(picture.reduce(block) if block > 1 else picture))
    if quality < 2:
        raise Refused("blank")
    return {
        "width": size[0], "height": size[1], "format": picture_format, "print": print_, "mirrored": mirrored, "quality": quality,
        "flat": f"{flat:.2f}", **said, **find_marks(content),
    }


def _decode(content):
    """Returns (RGB picture reduced for hashing, size as stored, format, what EXIF says)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            picture = Image.open(io.BytesIO(content))
            size, picture_format = picture.size, picture.format
            if picture_format not in FORMATS:
                raise Refused("format")
            if size[0] * size[1] > PIXELS_MAX:
                raise Refused("large")
            if getattr(picture, "is_animated", False) and picture_format != "MPO":
                raise Refused("animated")
            said = read_exif(picture)
            if picture_format in ("JPEG", "MPO"):
                picture.draft("RGB", (HASHED_SIDE, HASHED_SIDE))
            picture.load()
            if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
                alpha = np.asarray(picture.convert("RGBA"))[..., 3]
                if (alpha < 250).mean() > 0.02:
                    raise Refused("transparent")
            return picture.convert("RGB"), size, "JPEG" if picture_format == "MPO" else picture_format, said
    except Refused:
        raise
    except Exception as error:  # noqa: BLE001 - Pillow raises nearly anything on damaged files; the reason is kept
        raise Refused(f"unreadable {type(error).__name__}") from error


def measure_flatness(picture):
    """Returns the share of neighbours in a row that are equal in all channels, of 64 rows."""
    width, height = picture.size
    places = np.linspace(0, height - 1, 64).astype(int)
    rows = np.stack([np.asarray(picture.crop((0, int(y), width, int(y) + 1)))[0] for y in places]).astype(np.int16)
    return float((np.abs(np.diff(rows, axis=1)).max(axis=2) == 0).mean())


def read_exif(picture):
    """Returns camera, taken (ISO date or empty) and software of a picture's EXIF, as texts on one line."""
    try:
        exif = picture.getexif()
        detail = exif.get_ifd(ExifTags.IFD.Exif)
    except Exception:  # noqa: BLE001 - a damaged EXIF block says nothing, and the picture may be well
        return {"camera": "", "taken": "", "software": ""}
    make, model = _text(exif.get(271)), _text(exif.get(272))
    camera = model if model.lower().startswith(make.lower().split(" ")[0]) else f"{make} {model}".strip()
    taken = _text(detail.get(36867)) or _text(detail.get(36868))
    match = re.match(r"((?:18|19|20)\d\d)[:/-](\d\d)[:/-](\d\d)", taken)
    exposure = detail.get(33434)
    if camera and isinstance(exposure, (int, float, Fraction)) is False and exposure is None:
        camera = f"{camera} (no exposure)"
    return {"camera": camera, "taken": "-".join(match.groups()) if match else "", "software": _text(exif.get(305))}


def _text(value):
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    return re.sub(r"[\x00-\x1f\x7f\s]+", " ", str(value or "")).strip(" \x00")[:80]


def find_marks(content):
    """Returns what a file declares of its making: marks of generators, and the checkpoint that they name."""
    marks = sorted({name for needle, name in _GENERATOR_MARKS if needle in content})
    checkpoint = ""
    if "comfyui" in marks or "a1111" in marks:
        match = _CHECKPOINT.search(content)
        if match:
            checkpoint = _text((match.group(1) or match.group(2)).decode("utf-8", "replace"))
    return {"declared": " ".join(marks), "checkpoint": checkpoint}


def open_upright(path, side):
    """Returns a thumbnail of a stored picture as a viewer shows it."""
    picture = Image.open(path)
    picture.draft("RGB", (side * 2, side * 2))
    picture = ImageOps.exif_transpose(picture).convert("RGB")
    picture.thumbnail((side, side))
    return picture
