"""Owns what a fetched repository holds beside the rows of the list, where the files themselves say what they are.

Pictures that their names or their metadata declare as generated; clips and pictures under a camera's name; photographs of
repositories that ended before generators were public; voices recorded by the author.
"""

import re
from dataclasses import dataclass

from listing import Row
from pictures import LEFT_OUT_NAMES

BEFORE_GENERATORS = "2022-06-01"
"""Pictures that were committed earlier were made by no public text-to-image service: DALL·E 2 and Midjourney came that summer."""
FILES_PER_EXTRA = {"marked": 30, "old": 30, "clips": 8, "voices": 12}
MARKED_TRIES = 150
"""Pictures of one repository that are read for marks of generators."""
PHOTOGRAPH_BYTES_MIN = 60_000
MARKS_OF_GENERATORS = ("iptc", "comfyui", "a1111", "invokeai", "novelai", "dream")

GENERATOR_NAMES = (
    (r"chatgpt[ _-]?image", "GPT-image (ChatGPT download name)"),
    (r"gemini[_-]generated[_-]image", "Gemini image (download name)"),
    (r"generated image (january|february|march|april|may|june|july|august|september|october|november|december)", "Gemini 2.5 Flash Image (AI Studio download name)"),
    (r"nano[_-]?banana", "Nano Banana (Gemini image)"),
    (r"dall[·._ -]?e[ _-]?(20\d\d|[23])", "DALL-E (download name)"),
    (r"midjourney|--ar[_ ]\d|_mj_", "Midjourney (download name)"),
    (r"(^|[_-])firefly[ _]", "Adobe Firefly (download name)"),
    (r"comfyui_\d{4,}", "ComfyUI output"),
    (r"leonardo_(diffusion|phoenix|kino|anime|vision|lightning|default)|leonardo_ai", "Leonardo (download name)"),
    (r"copilot_20\d{6}", "Microsoft Copilot (download name)"),
    (r"whisk_[0-9a-f]{6,}", "Whisk (Imagen; download name)"),
    (r"image_?fx", "ImageFX (Imagen 3; download name)"),
    (r"freepik__", "Freepik AI (download name)"),
    (r"grok[_-]image|grok-20\d\d", "Grok image (download name)"),
    (r"jimeng-|seedream|doubao", "Seedream (download name)"),
    (r"^oig[0-9]?\.|_oig", "Bing Image Creator (download name)"),
    (r"craiyon_\d", "Craiyon (download name)"),
    (r"ideogram", "Ideogram (download name)"),
    (r"recraft", "Recraft (download name)"),
    (r"imagen[-_]?[34]", "Imagen (file name)"),
    (r"flux[-_.]?(1|2|dev|schnell|pro|kontext)", "FLUX (file name)"),
    (r"qwen[-_]?image", "Qwen-Image (file name)"),
    (r"hunyuan[-_]?(image|dit)", "HunyuanImage (file name)"),
    (r"hidream", "HiDream (file name)"),
    (r"z[-_]image", "Z-Image (file name)"),
    (r"(sdxl|stable[-_ ]?diffusion|sd_?3|sd_?15|sd1\.5)", "Stable Diffusion (file name)"),
)
VIDEO_GENERATORS = ((r"veo[-_ ]?[23]?", "Veo (file name)"), (r"sora[-_ ]", "Sora (file name)"), (r"kling", "Kling (file name)"), (r"runway|gen-?[34]", "Runway (file name)"), (r"hailuo|minimax", "Hailuo (file name)"), (r"wan2?[._-]?[0-9]", "Wan (file name)"), (r"seedance", "Seedance (file name)"), (r"luma|dream[-_ ]?machine", "Luma (file name)"), (r"pika[-_ ]", "Pika (file name)"))
CAMERA_CLIP = re.compile(r"^(IMG[_-]?\d|VID[_-]?20|MVI_|DJI_|GOPR|GX0|GH0|MOV_|PXL_20|20\d{6}_\d{6}|MAH0|DSC_?\d|C0\d{3})", re.IGNORECASE)
OWN_VOICE = re.compile(
    r"my[_-]?voice|recorded|recording|voice[_-]?(note|memo|message|record)|whatsapp (audio|ptt)|ptt-20|^rec[_-]?\d|mic[_-]?(test|input)|"
    r"audio[_-]?record|user[_-]?(voice|audio|speech|input)|interview|lecture|podcast|speech[_-]?sample|jfk|mlk|obama|churchill",
    re.IGNORECASE,
)
MADE_VOICE = re.compile(r"tts|synth|generat|clon|output|response|reply|assistant|bot|gtts|eleven|convert|fake", re.IGNORECASE)


@dataclass(frozen=True)
class Extra:
    """A group of files of a repository, as a row of the list would name it."""

    row: Row
    media_kind: str
    entries: list
    bound: int
    must_be_marked: bool = False


def find_extras(repository, entries, old, date, rows):
    """Returns the groups of a repository.

    `old` are its files as they were at BEFORE_GENERATORS, `rows` its rows in the list, which say what it may hold.
    """
    made = any(row.label != "human" for row in rows)
    edits = any(row.kind in ("edit", "face") or row.label == "enhanced" for row in rows)
    media = [entry for entry in entries if not LEFT_OUT_NAMES.search(entry.path)]
    yield from find_declared(repository, media, date)
    if not made and not edits:
        photographs = [
            entry for entry in old
            if ends(entry, ("jpg", "jpeg")) and entry.size >= PHOTOGRAPH_BYTES_MIN and not LEFT_OUT_NAMES.search(entry.path)
        ]
        yield Extra(make_row(repository, "image", "human", "web", f"web photographs, committed before {BEFORE_GENERATORS[:7]}", date), "image", photographs, FILES_PER_EXTRA["old"])
    if not edits and not any(row.kind == "video" and row.label == "artificial" for row in rows):
        clips = [entry for entry in entries if ends(entry, ("mp4", "mov", "m4v", "avi")) and CAMERA_CLIP.match(name_of(entry))]
        yield Extra(make_row(repository, "video", "human", "clips", "clips under a camera's file name", date), "video", clips, FILES_PER_EXTRA["clips"])
    voices = [entry for entry in entries if ends(entry, ("wav", "mp3", "m4a", "ogg", "flac", "opus")) and OWN_VOICE.search(name_of(entry)) and not MADE_VOICE.search(entry.path)]
    yield Extra(make_row(repository, "speech", "human", "voices", "voices recorded by the repository's author, or known speeches, by file name", date), "audio", voices, FILES_PER_EXTRA["voices"])


def find_declared(repository, media, date):
    """Yields pictures and clips whose names say which generator made them, then pictures whose metadata do."""
    named = set()
    for kind, extensions, table in (("image", ("png", "jpg", "jpeg", "webp"), GENERATOR_NAMES), ("video", ("mp4", "webm"), VIDEO_GENERATORS)):
        if kind == "video":
            # Short words such as "gen3" or "luma" name much else: only together with a word of generation.
            pool = [entry for entry in media if ends(entry, extensions) and re.search(r"generat|ai[-_ ]|veo|sora|kling|text2video|t2v|i2v", entry.path, re.IGNORECASE)]
        else:
            pool = [entry for entry in media if ends(entry, extensions)]
        for pattern, what in table:
            found = [entry for entry in pool if entry.path not in named and re.search(pattern, name_of(entry), re.IGNORECASE)]
            named.update(entry.path for entry in found)
            if found:
                short = re.sub(r"[^a-z0-9]+", "", what.split("(")[0].lower())
                yield Extra(make_row(repository, kind, "artificial", short, what, date), kind, found, FILES_PER_EXTRA["marked"])
    marked = [entry for entry in media if ends(entry, ("png", "jpg", "jpeg", "webp")) and entry.size >= PHOTOGRAPH_BYTES_MIN and entry.path not in named]
    yield Extra(make_row(repository, "image", "artificial", "declared", "declared by its metadata", date), "image", marked, FILES_PER_EXTRA["marked"], must_be_marked=True)


def make_row(repository, kind, label, short, what, date):
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", repository.replace("/", "-")).lower()[:48]
    return Row(kind, label, f"{short}-{slug}", what, repository, "", "", "", "file name or metadata", "?", date)


def name_of(entry):
    return entry.path.rsplit("/", 1)[-1]


def ends(entry, extensions):
    return entry.path.rsplit(".", 1)[-1].lower() in extensions

