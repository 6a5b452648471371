"""The corpus tool: what is reserved stays out, owners never straddle the harvests, near duplicates are found."""

import hashlib
import io
import subprocess
import sys
import tempfile
import unittest
import wave
from pathlib import Path
from unittest.mock import patch

import numpy as np
from PIL import Image

import harvest
import recordings
from assemble import assemble
from candidates import read_table
from extras import find_extras
from listing import read_sources, select_paths
from looks import Looks
from mirror import Entry, Mirror
from names import Names
from near import Prints
from owners import INSIDE, OUTSIDE, harvest_of
from pdq import NEAR_BITS, hash_picture
from pictures import Refused, read_picture
from recordings import hash_sound
from reserved import Reserved, hash_text


APPLIANCE_HASH = "feffffbf08003840eeddffff40802060eac2cbcfce813c616a80c384957f08b1"


def make_scene(seed, side=320):
    """Returns a smooth RGB picture that no other seed gives."""
    noise = np.random.default_rng(seed).random((8, 8, 3))
    picture = Image.fromarray((noise * 255).astype(np.uint8)).resize((side, side), Image.BICUBIC)
    grain = np.random.default_rng(seed + 1).normal(0, 6, (side, side, 3))
    return np.clip(np.asarray(picture) + grain, 0, 255).astype(np.uint8)


def encode(rgb, picture_format="PNG", **options):
    stream = io.BytesIO()
    Image.fromarray(rgb).save(stream, picture_format, **options)
    return stream.getvalue()


def bits_between(left, right):
    return bin(int(left, 16) ^ int(right, 16)).count("1")


class PerceptualHash(unittest.TestCase):
    def test_is_that_of_the_appliance(self):
        rgb = np.fromfunction(lambda y, x, c: (x * (c + 1) * 3 + y * 2 + (x * y) % 97) % 256, (200, 300, 3)).astype(np.uint8)
        # As hashPicture of src/worker/steps/perceptual-hash.ts gives it.
        self.assertLessEqual(bits_between(hash_picture(rgb)[0], APPLIANCE_HASH), 2)

    def test_near_after_compression_and_scaling_far_between_scenes(self):
        scene = make_scene(1)
        jpeg = np.asarray(Image.open(io.BytesIO(encode(scene, "JPEG", quality=40))).resize((500, 500)))
        self.assertLessEqual(bits_between(hash_picture(scene)[0], hash_picture(jpeg)[0]), NEAR_BITS)
        self.assertGreater(bits_between(hash_picture(scene)[0], hash_picture(make_scene(2))[0]), NEAR_BITS)
        self.assertLessEqual(bits_between(hash_picture(scene)[1], hash_picture(scene[:, ::-1])[0]), 4)


class SoundPrint(unittest.TestCase):
    def test_damaged_wave_is_left_to_the_decoder(self):
        # An inner chunk that is longer than the file around it: the wave module ends with a RuntimeError.
        damaged = b"RIFF" + (20).to_bytes(4, "little") + b"WAVE" + b"LIST" + (1000).to_bytes(4, "little") + bytes(8)
        self.assertIsNone(recordings.read_plain_wave(damaged))

    def test_near_after_noise_far_between_sounds(self):
        def voice(seed):
            generator = np.random.default_rng(seed)
            envelope = np.repeat(generator.random(64), 1000)
            return np.convolve(generator.normal(size=64000), generator.normal(size=32), "same") * envelope

        sound = voice(1)
        noisy = sound + np.random.default_rng(9).normal(0, 0.02 * np.abs(sound).max(), sound.size)
        self.assertLessEqual(bits_between(hash_sound(sound), hash_sound(noisy)), 40)
        self.assertGreater(bits_between(hash_sound(sound), hash_sound(voice(2))), 60)


    def test_a_plain_wave_is_read_as_the_decoder_reads_it(self):
        sound = np.convolve(np.random.default_rng(3).normal(size=48000), np.hanning(32), "same") * np.repeat(np.random.default_rng(4).random(48), 1000)
        with tempfile.NamedTemporaryFile(suffix=".wav") as file:
            with wave.open(file.name, "wb") as out:
                out.setparams((1, 2, 24000, 0, "NONE", ""))
                out.writeframes((sound / np.abs(sound).max() * 20000).astype("<i2").tobytes())
            plain = recordings.read_plain_wave(Path(file.name).read_bytes())
            decoded = recordings.read_sound(recordings._probe(file.name), file.name)
        self.assertEqual((plain["seconds"], str(plain["rate"]), plain["channels"], plain["format"]), (decoded["seconds"], decoded["rate"], decoded["channels"], decoded["format"]))
        self.assertLessEqual(bits_between(plain["print"], decoded["print"]), 20)


class Owners(unittest.TestCase):
    def test_all_repositories_of_an_owner_lie_on_one_side_a_fifth_outside(self):
        sides = [harvest_of(f"owner-{number}/any") for number in range(5000)]
        self.assertAlmostEqual(sides.count(OUTSIDE) / len(sides), 0.2, delta=0.02)
        self.assertEqual({harvest_of("Some-One/a"), harvest_of("some-one/b")}, {harvest_of("SOME-ONE/c")})

    def test_a_name_without_owner_is_refused(self):
        with self.assertRaisesRegex(ValueError, "owner/name"):
            harvest_of("nobody")


class Listing(unittest.TestCase):
    PATHS = ["images/a.jpg", "images/DSC_1.jpg", "out/x/flux.png", "out/y/flux.png", "deep/er/otter.png", "wav/1_vits.wav"]

    def test_paths_mean_files_folders_names_and_choices(self):
        self.assertEqual(select_paths("images", self.PATHS), self.PATHS[:2])
        self.assertEqual(select_paths("images/DSC_*", self.PATHS), [self.PATHS[1]])
        self.assertEqual(select_paths("out/*/flux.png", self.PATHS), self.PATHS[2:4])
        self.assertEqual(select_paths("{images,wav}/*_vits.wav", self.PATHS), [self.PATHS[5]])
        self.assertEqual(select_paths("out/x (skip y); wav", self.PATHS), [self.PATHS[2], self.PATHS[5]])
        self.assertEqual(select_paths("otter.png", self.PATHS), [self.PATHS[4]])

    def test_an_unknown_label_is_named(self):
        with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
            file.write("kind\tlabel\tsource\twhat\trepo\tunder\text\tfiles\tevidence\tlicence\tdate\n")
            file.write("image\tgenuine\tone\t\ta/b\t\t\t\t\t\t\n")
            file.flush()
            with self.assertRaisesRegex(ValueError, "one: unknown kind or label image genuine"):
                read_sources(file.name)


class Pictures(unittest.TestCase):
    def refuse(self, content, path="photos/a.png"):
        with self.assertRaises(Refused) as caught:
            read_picture(content, path)
        return str(caught.exception)

    def test_what_is_no_picture_of_a_scene_is_left_out_with_its_reason(self):
        self.assertEqual(self.refuse(b"version https://git-lfs.github.com/spec/v1\noid"), "lfs pointer")
        self.assertEqual(self.refuse(encode(make_scene(3, 200))), "small")
        self.assertEqual(self.refuse(encode(make_scene(3)), "docs/Screenshot 2024.png"), "name")
        flat = np.zeros((600, 600, 3), np.uint8)
        flat[100:500, 250:350] = np.random.default_rng(0).integers(0, 255, (1, 100, 3))
        self.assertIn(self.refuse(encode(flat) + bytes(5000)), ("flat", "blank"))
        self.assertRegex(self.refuse(encode(make_scene(4))[:9000]), "unreadable")

    def test_of_any_medium_a_screenshot_and_a_small_flat_drawing_count(self):
        drawn = np.full((200, 200, 3), 255, np.uint8)
        drawn[40:160, 60:140] = np.random.default_rng(0).integers(0, 255, (120, 80, 3))
        self.assertEqual(self.refuse(encode(drawn), "docs/Screenshot 2024.png"), "name")
        self.assertEqual(read_picture(encode(drawn), "docs/Screenshot 2024.png", any_medium=True)["width"], 200)

    def test_what_a_file_declares_is_read(self):
        said = read_picture(encode(make_scene(5)) + b"tEXtparameters\0a boat\nNegative prompt: x, Model: v1-5", "a.png")
        self.assertEqual(said["declared"], "a1111")
        self.assertEqual((said["width"], said["height"], said["format"]), (320, 320, "PNG"))


class Extras(unittest.TestCase):
    def find(self, paths, old=()):
        entries, before = ([Entry(path, "0" * 40, 100_000) for path in some] for some in (paths, old))
        extras = find_extras("a/b", entries, before, "2024-01-01", [])
        return {extra.row.what: [entry.path for entry in extra.entries] for extra in extras if extra.entries and not extra.must_be_marked}

    def test_download_names_declare_their_generator(self):
        found = self.find(["ChatGPT Image Jun 13, 2025.png", "assets/Gemini_Generated_Image_gj2u.png", "photo.png"])
        self.assertEqual(list(found.values()), [["ChatGPT Image Jun 13, 2025.png"], ["assets/Gemini_Generated_Image_gj2u.png"]])

    def test_photographs_count_as_human_only_before_generators_were_public(self):
        self.assertEqual(self.find(["a.jpg"]), {})
        self.assertEqual(list(self.find(["a.jpg", "b.jpg"], ["a.jpg"]).values()), [["a.jpg"]])


class Harvesting(unittest.TestCase):
    """A repository made here, harvested whole."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        work = self.folder / "work"
        work.mkdir()
        self.scenes = {f"out/{name}.png": encode(make_scene(seed)) for name, seed in (("one", 11), ("two", 12), ("twin", 11))}
        self.scenes["out/held-back.png"] = encode(make_scene(13))
        for path, content in self.scenes.items():
            (work / path).parent.mkdir(exist_ok=True)
            (work / path).write_bytes(content)
        mirror = self.folder / "mirror" / "Maker+gallery" / "repo"
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.example", "-C", str(work)]
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
            subprocess.run([*git, *command], check=True)
        subprocess.run(["git", "clone", "-q", "--bare", str(work), str(mirror)], check=True)
        self.reserve(["nobody/nothing"], [self.scenes["out/held-back.png"]])
        self.write_list("Maker/gallery")

    def reserve(self, repositories, contents):
        lists = self.folder / "reserved"
        lists.mkdir(exist_ok=True)
        (lists / "reserved-repositories.sha256").write_text("\n".join(hash_text(name.lower()) for name in repositories))
        (lists / "reserved-files.sha256").write_text("\n".join(hashlib.sha256(content).hexdigest() for content in contents))

    def write_list(self, repository):
        head = "kind\tlabel\tsource\twhat\trepo\tunder\text\tfiles\tevidence\tlicence\tdate\n"
        (self.folder / "list.tsv").write_text(f"{head}image\tartificial\tgallery\tFLUX.1-dev\t{repository}\tout\tpng\t4\t\tMIT\t2024\n")

    def harvest(self):
        arguments = ["--mirror", "mirror", "--list", "list.tsv", "--reserved", "reserved", "--out", "out"]
        with patch.object(sys, "argv", ["harvest", *(a if a.startswith("--") else str(self.folder / a) for a in arguments)]):
            harvest.main()

    def taken(self):
        return read_table(self.folder / "out" / "found", "Maker/gallery")

    def test_takes_files_untouched_and_leaves_out_the_reserved_and_the_equal(self):
        self.harvest()
        rows = self.taken()
        self.assertEqual(len(rows), 2)
        for row in rows:
            self.assertEqual((self.folder / "out" / row["file"]).read_bytes(), self.scenes[row["path"]])
        self.assertEqual({row["commit"] for row in rows}, {Mirror(self.folder / "mirror" / "Maker+gallery" / "repo").commit})

    def test_takes_nothing_of_a_reserved_repository_nor_of_its_fork(self):
        for reserved in ("maker/gallery", "openai/gallery"):
            self.reserve([reserved], [b"x"])
            self.harvest()
            self.assertFalse((self.folder / "out" / "found").exists())


class Assembling(unittest.TestCase):
    def setUp(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.looked_at, self.media = folder / "looked-at.tsv", folder / "media.tsv"
        self.media.write_text("source\tfile\tmedium\n")
        self.looked_at.write_text("source\tfile\tdecision\twhat\treason\nin\t\tkeep\t\t\nout\t\tkeep\t\t\nbad\t\tdrop\t\tscreenshot\n")
        owners = [f"owner{number}" for number in range(100)]
        self.inside = next(one for one in owners if harvest_of(f"{one}/a") == INSIDE)
        self.outside = next(one for one in owners if harvest_of(f"{one}/a") == OUTSIDE)

    def row(self, source, owner, seed, **more):
        print_, mirrored, _ = hash_picture(make_scene(seed))
        sha256 = hash_text(f"{source}{seed}{more}")
        return {
            "kind": "image", "label": "artificial", "source": source, "what": "FLUX.1-dev", "repository": f"{owner}/a", "path": f"{seed}.png",
            "sha256": sha256, "media_kind": "image", "print": print_, "mirrored": mirrored, "licence": "?", "camera": "", "checkpoint": "", **more,
        }

    def test_keeps_the_outside_one_of_two_alike_and_only_what_was_looked_at(self):
        rows = [
            self.row("in", self.inside, 21), self.row("out", self.outside, 21, bytes="2"), self.row("in", self.inside, 22),
            self.row("bad", self.inside, 23), self.row("unseen", self.inside, 24),
        ]
        kept, left_out = assemble(rows, Looks(self.looked_at, self.media), Names(), [])
        self.assertEqual(sorted((row["harvest"], row["path"]) for row in kept), [(INSIDE, "22.png"), (OUTSIDE, "21.png")])
        self.assertEqual(left_out, {"near duplicate": 1, "dropped: screenshot": 1, "not looked at": 1})
        self.assertEqual({(row["what"], row["family"], row["licence"]) for row in kept}, {("FLUX.1 dev", "Flux", "unknown")})

    def test_names_a_persons_picture_by_the_medium_that_looking_said(self):
        self.media.write_text("source\tfile\tmedium\nin\t\tdrawing\nin\t~^4\tphotograph\n")
        web = {"label": "human", "what": "any medium: a site"}
        rows = [self.row("in", self.inside, 41, **web), self.row("in", self.inside, 51, **web), self.row("in", self.inside, 52)]
        kept, _ = assemble(rows, Looks(self.looked_at, self.media), Names(), [])
        self.assertEqual([(row["what"], row["family"]) for row in kept], [("web picture", "web"), ("drawing", "drawing"), ("FLUX.1 dev", "Flux")])

    def test_metadata_name_no_generator(self):
        declared = self.row("in", self.inside, 42, what="declared by its metadata")
        self.assertEqual(assemble([declared], Looks(self.looked_at, self.media), Names(), [])[0][0]["what"], "unknown")

    def test_keeps_an_original_beside_its_edit(self):
        rows = [self.row("in", self.inside, 26, label="human"), self.row("in", self.inside, 26, label="edited")]
        self.assertEqual(len(assemble(rows, Looks(self.looked_at, self.media), Names(), [])[0]), 2)

    def test_adds_to_the_rows_that_are_held(self):
        held = [{**self.row("in", self.inside, 27), "harvest": INSIDE, "file": "image/artificial/in/27.png"}]
        rows = [self.row("in", self.inside, 27), self.row("out", self.outside, 27, bytes="2"), self.row("out", self.outside, 28)]
        kept, left_out = assemble(rows, Looks(self.looked_at, self.media), Names(), [], held)
        self.assertEqual([row["path"] for row in kept], ["27.png", "28.png"])
        self.assertEqual(left_out, {"equal file": 1, "near duplicate": 1})

    def test_names_a_voice_by_its_file_where_its_source_does_not(self):
        voice = {"kind": "speech", "media_kind": "audio", "what": "one of several synthesisers in the code: gTTS, ElevenLabs", "mirrored": ""}
        said = self.row("in", self.inside, 30, **voice, path="a/elevenlabs_testing.mp3")
        silent = self.row("in", self.inside, 31, **voice, path="gtts/output.mp3")
        person = self.row("in", self.inside, 32, **{**voice, "what": "unheard of"}, path="gtts_person.mp3", label="human")
        held = [{**self.row("out", self.outside, 33, **{**voice, "what": "unknown"}, path="gtts.mp3"), "harvest": OUTSIDE, "file": "audio/artificial/out/33.mp3"}]
        kept, _ = assemble([said, silent, person], Looks(self.looked_at, self.media), Names(), [], held)
        self.assertEqual(
            {row["path"]: (row["what"], row["family"]) for row in kept},
            {
                "a/elevenlabs_testing.mp3": ("ElevenLabs", "commercial tts"), "gtts/output.mp3": ("unknown", "unknown"),
                "gtts_person.mp3": ("unknown", "unknown"), "gtts.mp3": ("gTTS (Google Translate)", "commercial tts"),
            },
        )

    def test_drops_a_held_row_that_looking_dropped_later(self):
        held = [{**self.row("bad", self.inside, 29), "harvest": INSIDE, "file": "image/artificial/bad/29.png"}]
        self.assertEqual(assemble([], Looks(self.looked_at, self.media), Names(), [], held), ([], {"dropped: screenshot": 1}))

    def test_leaves_out_what_is_at_hand(self):
        at_hand = [(hash_picture(make_scene(25))[0], "at hand: whole/x.png")]
        kept, left_out = assemble([self.row("in", self.inside, 25)], Looks(self.looked_at, self.media), Names(), at_hand)
        self.assertEqual((kept, dict(left_out)), ([], {"near duplicate of the collection at hand": 1}))


class NearSearch(unittest.TestCase):
    def test_finds_within_the_bound_alone(self):
        prints = Prints(31)
        prints.add("0" * 64, "zero")
        self.assertEqual(prints.find("0" * 57 + "7" + "f" * 6), ["zero"])
        self.assertEqual(prints.find("f" * 8 + "0" * 56), [])


if __name__ == "__main__":
    unittest.main()
