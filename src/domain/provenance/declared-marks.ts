/** Unsigned metadata that declare an origin, a row a convention. Anyone can write or strip them: they never decide. Pure. */
import { findSourceType, type SourceOrigin } from './source-types.ts';

/** A text of a file: `XMP AISystemUsed`, `EXIF Software`, `PNG parameters`, `tag encoder`, `pixels alpha`. */
export interface FileText {
  field: string;
  text: string;
}

interface DeclarationRow {
  /** Its name in the documents. */
  convention: string;
  /** Its place in the file, in documents' words. */
  place: string;
  kind: 'source_type' | 'generator' | 'camera';
  /** Null for a camera's claim, which is no mark of a generator. */
  mark: 'source_type' | 'generator_parameters' | 'generator_name' | null;
  field: RegExp;
  text: RegExp;
  /** The declared origin; absent if it follows from a source type's own term. */
  origin?: SourceOrigin;
  source: string;
}

/** Names as the makers' programs write them. Common words (`Flux`, `Imagen`) only count beside their maker's name. */
const GENERATORS =
  /midjourney|dall[-·\s]?e\b|stable[\s-]?diffusion|automatic1111|comfyui|invokeai|novelai|fooocus|swarmui|adobe firefly|dreamstudio|draw things|easy diffusion|bing image creator|google imagen|made with google ai|black forest labs|ideogram|leonardo\.ai|nightcafe|craiyon|gpt-4o|chatgpt|grok image|openai sora|google veo|runwayml|runway gen-?\d|pika labs|luma dream machine|hailuo|klingai|kling ai|suno\.(?:ai|com)|made with suno|udio\.com|elevenlabs/i;
const ANY_TEXT = /\S/;
/** All fields except joined texts, which have rows of their own. */
const ANY_FIELD = /^[^,]*$/;
/** Fields that describe a file's subject or owner, not its maker, are left out: a report on a generator names it too. */
const MAKER_FIELD =
  /^(?!.*,|EXIF Artist|IPTC Caption|XMP description|tag (?:.*[-_:])?(?:title|artist|album|album_artist|author|show|genre|language|synopsis|lyrics)$)/i;

/** The first matching row of a field counts. */
export const DECLARATION_ROWS = {
  source_type: {
    convention: 'IPTC digital source type',
    place: 'XMP, tags of films and sound',
    kind: 'source_type',
    mark: 'source_type',
    field: /DigitalSourceType$/i,
    text: ANY_TEXT,
    source: 'IPTC Photo Metadata 2025.1, cv.iptc.org/newscodes/digitalsourcetype',
  },
  ai_system: {
    convention: 'IPTC AI system, prompt or prompt writer',
    place: 'XMP `AISystemUsed`, `AISystemVersionUsed`, `AIPromptInformation`, `AIPromptWriterName`',
    kind: 'generator',
    mark: 'generator_name',
    field: /^XMP (?:AISystemUsed|AISystemVersionUsed|AIPromptInformation|AIPromptWriterName)$/,
    text: ANY_TEXT,
    origin: 'generated',
    source: 'IPTC Photo Metadata 2025.1',
  },
  aigc_label: {
    convention: 'China’s label of generated content',
    place: '`AIGC` in XMP, PNG text, tags of films and sound',
    kind: 'generator',
    mark: 'generator_name',
    field: /\bAIGC$/i,
    text: /"?Label"?\s*[:=]\s*"?[123]\b/i,
    origin: 'generated',
    source: 'GB 45438-2025, TC260',
  },
  aigc_label_within: {
    convention: 'China’s label of generated content, within another text',
    place: '`"AIGC"` within any text, such as EXIF comments',
    kind: 'generator',
    mark: 'generator_name',
    field: ANY_FIELD,
    text: /"AIGC"\s*:\s*(?:"\s*)?\{[^{}]{0,500}?\\?"Label\\?"\s*:\s*\\?"?[123]\b/i,
    origin: 'generated',
    source: 'GB 45438-2025, TC260',
  },
  xai_signature: {
    convention: 'xAI’s signature',
    place: 'EXIF `ImageDescription` (`Signature: …`) beside `Artist` (a UUID)',
    kind: 'generator',
    mark: 'generator_name',
    field: /^EXIF ImageDescription, Artist$/,
    text: /^Signature:\s*[\w+/=-]{16,}\s+[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\s*$/i,
    origin: 'generated',
    source: 'files of grok.com',
  },
  midjourney_job: {
    convention: 'Midjourney’s job',
    place: '`Job ID: …` in any text',
    kind: 'generator',
    mark: 'generator_parameters',
    field: ANY_FIELD,
    text: /\bJob ID:\s*[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i,
    origin: 'generated',
    source: 'files of midjourney.com',
  },
  stealth_channel: {
    convention: 'settings in the lowest bits of the pixels',
    place: 'lowest bits of alpha or of colours',
    kind: 'generator',
    mark: 'generator_parameters',
    field: /^pixels /,
    text: /^stealth_/,
    origin: 'generated',
    source: 'NovelAI’s and sd-webui-stealth-pnginfo’s programs',
  },
  comfyui_camera: {
    convention: 'ComfyUI’s prompt or workflow in EXIF',
    place: 'EXIF `Make`, `Model`',
    kind: 'generator',
    mark: 'generator_parameters',
    field: /^EXIF (?:Make|Model)$/,
    text: /^\s*(?:prompt|workflow)\s*:\s*\{/i,
    origin: 'generated',
    source: 'ComfyUI’s writer of WebP',
  },
  program_texts: {
    convention: 'texts that one generator’s program alone writes',
    place: 'PNG text under their names',
    kind: 'generator',
    mark: 'generator_parameters',
    field:
      /^(?:PNG|tag) (?:invokeai_metadata|invokeai_graph|invokeai_workflow|sd-metadata|dream|use_stable_diffusion_model|num_inference_steps|use_vae_model|sui_image_params|fooocus_scheme|generation_data|sd_metadata)$/i,
    text: ANY_TEXT,
    origin: 'generated',
    source: 'the programs of InvokeAI, Easy Diffusion, SwarmUI, Fooocus',
  },
  settings: {
    convention: 'settings that only a sampler has',
    place: 'any text: PNG, EXIF and JPEG comments, XMP',
    kind: 'generator',
    mark: 'generator_parameters',
    field: ANY_FIELD,
    text: /\bSteps:\s*\d+[\s\S]{0,2000}\b(?:Sampler|CFG scale|Seed):|"class_type"\s*:|"KSampler|"sampler_name"|"cfg_scale"|"sampler"\s*:|"num_inference_steps"|"uncond_scale"/i,
    origin: 'generated',
    source: 'AUTOMATIC1111’s and ComfyUI’s programs',
  },
  generator_name: {
    convention: 'a generator’s name',
    place: 'EXIF, XMP, IPTC-IIM, PNG text, JPEG comments, tags of films and sound',
    kind: 'generator',
    mark: 'generator_name',
    field: MAKER_FIELD,
    text: GENERATORS,
    origin: 'generated',
    source: 'what the makers’ programs write',
  },
  camera: {
    convention: 'a camera’s name',
    place: 'EXIF `Make`, `Model`',
    kind: 'camera',
    mark: null,
    field: /^EXIF Make, Model$/,
    text: /^.{1,100}$/,
    origin: 'captured',
    source: 'EXIF 3.0',
  },
} as const satisfies Record<string, DeclarationRow>;

export type DeclarationName = keyof typeof DECLARATION_ROWS;
export const DECLARATION_NAMES = Object.keys(DECLARATION_ROWS) as [DeclarationName, ...DeclarationName[]];
const ROWS = Object.entries(DECLARATION_ROWS) as [DeclarationName, DeclarationRow][];

export interface FoundDeclaration {
  row: DeclarationName;
  field: string;
  /** As it stands in the file. */
  value: string;
  origin: SourceOrigin;
}

/** The declarations in a file's texts, in the order of the table: the first of each convention, and every source type. */
export function findDeclarations(texts: readonly FileText[]): FoundDeclaration[] {
  const found = texts.flatMap(({ field, text }): FoundDeclaration[] => {
    const row = ROWS.find(([, { field: ofField, text: ofText }]) => ofField.test(field) && ofText.test(text));
    if (row === undefined) return [];
    return [
      { row: row[0], field, value: text, origin: row[1].origin ?? findSourceType(text)?.origin ?? 'unknown' },
    ];
  });
  const order = ROWS.map(([name]) => name);
  const hasMaker = found.some(({ row, field }) => row !== 'camera' && field.startsWith('EXIF'));
  return found
    .toSorted((one, other) => order.indexOf(one.row) - order.indexOf(other.row))
    .filter(({ row, value }, index, all) => {
      const isSame = (other: FoundDeclaration) =>
        other.row === row && (row !== 'source_type' || other.value === value);
      return all.findIndex(isSame) === index;
    })
    .filter(({ row }) => row !== 'camera' || !hasMaker);
}
