/**
 * What a file's unsigned metadata say of its origin: the IPTC source type, a generator's name or parameters, a camera.
 * Anyone can write or strip them, so they are reported and never decide.
 */
import type { Metadata } from 'sharp';
import { formatOf } from '../../domain/media/formats.ts';
import { type Declaration, originOfSourceType } from '../../domain/provenance/provenance.ts';
import { HeifFile } from '../libav/heif-items.ts';
import { readExifTexts } from '../pictures/exif-text.ts';
import { openPicture } from '../pictures/picture-file.ts';
import { openableTiff } from '../pictures/tiff-samples.ts';

const VALUE_CHARACTERS_MAX = 120;
const DECLARATIONS_MAX = 8;
/** Tags that are read from a container; real ones have a dozen. */
const TAGS_MAX = 64;
/** Length of a field's text that is searched. */
const SEARCHED_CHARACTERS_MAX = 65_536;

/** Names as the makers' programs write them. Words that people use too (`Flux`, `Imagen`) only next to their maker's. */
const GENERATORS =
  /midjourney|dall[-·\s]?e\b|stable[\s-]?diffusion|automatic1111|comfyui|invokeai|novelai|fooocus|swarmui|adobe firefly|dreamstudio|draw things|bing image creator|google imagen|made with google ai|black forest labs|ideogram|leonardo\.ai|nightcafe|craiyon|gpt-4o|chatgpt|grok image|openai sora|google veo|runwayml|runway gen-?\d|pika labs|luma dream machine|hailuo|klingai|kling ai|suno\.(?:ai|com)|made with suno|udio\.com|elevenlabs/i;
/** Settings that only a sampler has. */
const PARAMETERS = /\bSteps:\s*\d+[\s\S]{0,2000}\b(?:Sampler|CFG scale|Seed):/i;
const WORKFLOW = /"class_type"\s*:|"KSampler|"sampler_name"|"cfg_scale"|"sampler"\s*:/;
/** Tags that say what a film or a sound is about, not what made it: a report on a generator names it too. */
const SUBJECT_TAGS =
  /(?:^|[-_:])(?:title|artist|album|album_artist|author|show|genre|language|synopsis|lyrics)$/i;
/** An attribute, an element, or an element whose value is a resource. */
const SOURCE_TYPE =
  /DigitalSourceType(?:\s*=\s*["']|>\s*|\s[^<>]{0,100}?\bresource\s*=\s*["'])([^"'<\s]{1,300})/gi;
const TOOL = /(?:CreatorTool|Software|Credit)(?:\s*=\s*["']|>\s*)([^"'<]{1,300})/gi;

export async function readDeclarations(path: string, mime: string): Promise<Declaration[]> {
  const { exif, xmp, comments } = await readBlocks(path, mime);
  const found = [
    ...(xmp === undefined ? [] : ofXmp(xmp.toString('utf8', 0, SEARCHED_CHARACTERS_MAX))),
    ...(exif === undefined ? [] : ofExif(readExifTexts(exif))),
    ...(comments ?? []).flatMap(({ keyword, text }) => ofText(`PNG ${keyword}`, text)),
  ];
  return found.slice(0, DECLARATIONS_MAX);
}

async function readBlocks(path: string, mime: string): Promise<Pick<Metadata, 'exif' | 'xmp' | 'comments'>> {
  const { isHeif, hasMetadata } = formatOf(mime) ?? {};
  if (isHeif) {
    using file = HeifFile.open(path);
    return file?.readMetadata() ?? {};
  }
  if (!hasMetadata) return {};
  return await openPicture(mime === 'image/tiff' ? await openableTiff(path) : path, false).metadata();
}

/** Declarations in the tags of a film or a sound: some containers hold XMP, others a generator's name or its settings. */
export function readTags(tags: Readonly<Record<string, string>>): Declaration[] {
  return Object.entries(tags)
    .slice(0, TAGS_MAX)
    .flatMap(([name, text]) =>
      /xmp/i.test(name)
        ? ofXmp(text.slice(0, SEARCHED_CHARACTERS_MAX))
        : [...ofSourceType(name, text), ...(SUBJECT_TAGS.test(name) ? [] : ofText(`tag ${name}`, text))],
    )
    .slice(0, DECLARATIONS_MAX);
}

function ofSourceType(name: string, text: string): Declaration[] {
  if (!/digitalsourcetype$/i.test(name)) return [];
  const value = cut(text);
  return [{ kind: 'source_type', field: cut(`tag ${name}`), value, origin: originOfSourceType(value) }];
}

function ofXmp(xmp: string): Declaration[] {
  const types = [...xmp.matchAll(SOURCE_TYPE)].map(([, value = '']): Declaration => {
    const origin = originOfSourceType(value);
    return { kind: 'source_type', field: 'XMP DigitalSourceType', value: cut(value), origin };
  });
  return [...types, ...[...xmp.matchAll(TOOL)].flatMap(([, value = '']) => ofText('XMP', value))];
}

function ofExif(texts: ReadonlyMap<string, string>): Declaration[] {
  const named = [...texts].flatMap(([name, text]) => ofText(`EXIF ${name}`, text));
  const camera = cut([texts.get('Make'), texts.get('Model')].join(' '));
  if (named.length > 0 || camera === '') return named;
  return [{ kind: 'camera', field: 'EXIF Make, Model', value: camera, origin: 'captured' }];
}

function ofText(field: string, text: string): Declaration[] {
  const searched = text.slice(0, SEARCHED_CHARACTERS_MAX);
  const isGenerator = [GENERATORS, PARAMETERS, WORKFLOW].some((pattern) => pattern.test(searched));
  return isGenerator ? [{ kind: 'generator', field: cut(field), value: cut(text), origin: 'generated' }] : [];
}

/** On one line, without what a terminal would obey. */
function cut(text: string): string {
  return text
    .slice(0, VALUE_CHARACTERS_MAX * 2)
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, VALUE_CHARACTERS_MAX);
}
