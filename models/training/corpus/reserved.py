"""Owns what is reserved for measuring: repositories and files that are never taken, trained on or looked at."""

import hashlib
from pathlib import Path

UPSTREAM_OWNERS = (
    "ai-forever", "aidc-ai", "alibaba", "alpha-vllm", "apple", "automatic1111", "baaivision", "black-forest-labs", "bytedance",
    "bytedance-seed", "comfy-org", "comfyanonymous", "compvis", "coqui-ai", "deepseek-ai", "evolinkai", "facebookresearch",
    "foundationvision", "freestylefly", "funaudiollm", "google", "google-gemini", "google-research", "googlecloudplatform", "guoyww",
    "hidream-ai", "hpcaitech", "huggingface", "instantx-research", "invoke-ai", "jamez-bondos", "kwai-kolors", "leejet", "lightricks",
    "lllyasviel", "lucidrains", "mcmonkeyprojects", "microsoft", "mozilla", "nvidia", "nvlabs", "openai", "picotrex", "pixart-alpha",
    "qwenlm", "resemble-ai", "songguoxs", "speechbrain", "stability-ai", "suno-ai", "tencent", "tencent-hunyuan", "tencentarc",
    "thorstenmueller", "thudm", "tongyi-mai", "vectorspacelab", "vladmandic", "wan-video", "youmind-openlab", "zai-org",
)
"""Whose repositories are forked: a reserved one is recognised in a fork of equal name if its owner is among them, or in the list."""

REPOSITORIES_FILE = "reserved-repositories.sha256"
FILES_FILE = "reserved-files.sha256"


class Reserved:
    """The two lists of a folder: SHA-256 of lower-case `owner/name`, and of files."""

    def __init__(self, folder, owners=()):
        """`owners` are further ones whose repositories may have been forked. Fails where a list is absent or empty: an absent list would reserve nothing."""
        self.repositories = _read_list(Path(folder) / REPOSITORIES_FILE)
        self.files = _read_list(Path(folder) / FILES_FILE)
        self.owners = {*UPSTREAM_OWNERS, *(owner.lower() for owner in owners)}

    def holds_repository(self, repository):
        """Whether it is on the list, or one of equal name whose owner is known."""
        owner, _, name = repository.lower().partition("/")
        return any(hash_text(f"{one}/{name}") in self.repositories for one in {owner, *self.owners})

    def holds_file(self, sha256):
        return sha256 in self.files


def hash_text(text):
    return hashlib.sha256(text.encode()).hexdigest()


def _read_list(path):
    hashes = set(path.read_text(encoding="ascii").split())
    if not hashes or any(len(entry) != 64 for entry in hashes):
        raise ValueError(f"{path}: expected one SHA-256 a line")
    return hashes
