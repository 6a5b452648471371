/**
 * Makes the media of `assay demo` anew: node examples/demo/make.ts, in a checkout. Keys are made for the run and thrown away, so
 * signatures differ from run to run, and nobody can sign anything else by this authority.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FF_ENCODER_FLAC, FF_ENCODER_LIBX264 } from 'node-av/constants';
import sharp, { type Sharp } from 'sharp';
import { DEMO_AUTHORITY, type DemoFile } from '../../src/cli/commands/demo/demo.ts';
import { PROGRAM_FOLDER } from '../../src/machinery/program-folder.ts';
import { makeIdentity } from '../../test/certificates.ts';
import { makeSound, makeVideo } from '../../test/media/make-media.ts';
import { drawFrom, scene } from '../../test/media/scene.ts';
import { CAPTURED, definitionOf, GENERATED, signMedia } from '../../test/signed-media.ts';

/** Until then the signatures read as in time. */
const LIFE = { notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2046-01-01T00:00:00Z') };
const authority = makeIdentity({ name: 'Assay demo authority', ...LIFE });
const FILM = { width: 640, height: 480, fps: 12, seconds: 2 };
const CHORD_HZ = [261.63, 329.63, 392];

const jpegOf = (seed: number): Promise<Buffer> => scene(seed).jpeg({ quality: 88 }).toBuffer();

async function sign(name: string, sourceType: string, source: Buffer, mime: string): Promise<Buffer> {
  const signer = makeIdentity({ name, issuer: authority, signsMedia: true, ...LIFE });
  const definition = definitionOf(sourceType, { claim_generator_info: [{ name, version: '1.0.0' }] });
  return (await signMedia({ definition, mime, source }, { signer })).file;
}

function changed(file: Buffer): Buffer {
  const copy = Buffer.from(file);
  const at = copy.length - 200;
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
  return copy;
}

function withDeclaration(image: Sharp): Promise<Buffer> {
  const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:i="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" i:DigitalSourceType="${GENERATED}"/></rdf:RDF></x:xmpmeta>`;
  return image.withXmp(xmp).jpeg({ quality: 88 }).toBuffer();
}

async function grainySky(): Promise<Buffer> {
  const [width, height] = [800, 600];
  const draw = drawFrom(7);
  const rgb = Buffer.alloc(width * height * 3);
  for (let at = 0; at < rgb.length; at += 1) {
    const depth = at / rgb.length;
    const colour = [108, 143, 184][at % 3] ?? 0;
    rgb[at] = colour + depth * 60 + (draw() - 0.5) * 28;
  }
  return await sharp(rgb, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 85 })
    .toBuffer();
}

/** A window of a larger picture, which moves to the right. */
async function film(): Promise<Buffer> {
  const { width, height, fps, seconds } = FILM;
  const step = 4;
  const whole = await scene(5, width + step * fps * seconds, height)
    .raw()
    .toBuffer();
  const stride = (width + step * fps * seconds) * 3;
  const paint = (index: number, rgb: Buffer): void => {
    for (let y = 0; y < height; y += 1) {
      const from = y * stride + index * step * 3;
      whole.copy(rgb, y * width * 3, from, from + width * 3);
    }
  };
  return makeVideo({ container: 'mp4', codec: FF_ENCODER_LIBX264, ...FILM, paint });
}

const chord = (seconds: number): number =>
  CHORD_HZ.reduce((sum, hertz) => sum + 0.2 * Math.sin(2 * Math.PI * hertz * seconds), 0);

const camera = await sign('Demo camera', CAPTURED, await jpegOf(1), 'image/jpeg');
const moving = await film();
const sound = { container: 'flac', codec: FF_ENCODER_FLAC, seconds: 3, rate: 16_000, channels: 1 };
const media: Readonly<Record<DemoFile, Buffer>> = {
  'camera-signed.jpg': camera,
  'generator-signed.jpg': await sign('Demo generator', GENERATED, await jpegOf(2), 'image/jpeg'),
  'changed-after-signing.jpg': changed(camera),
  'copy-without-signature.jpg': await sharp(camera).resize(480).jpeg({ quality: 75 }).toBuffer(),
  'declared-generated.jpg': await withDeclaration(scene(3)),
  'drawing.png': await scene(4).png().toBuffer(),
  'grain.jpg': await grainySky(),
  'screenshot.webp': await readFile(join(PROGRAM_FOLDER, 'docs/pages/records.webp')),
  'film.mp4': moving,
  'generator-signed-film.mp4': await sign('Demo generator', GENERATED, moving, 'video/mp4'),
  'synthesised-speech.ogg': await readFile(join(PROGRAM_FOLDER, 'test/media/spoken/english.ogg')),
  'tones.flac': makeSound({ ...sound, wave: chord }),
};
for (const [name, bytes] of Object.entries(media)) await writeFile(join(import.meta.dirname, name), bytes);
await writeFile(join(import.meta.dirname, DEMO_AUTHORITY), authority.cert);
