/** Removes names and secrets from text for support. It hides too much rather than too little, since no one checks it. */
import { FORMATS } from '../../../domain/media/formats.ts';

/** Endings of files that are sent although they are none of the accepted formats. */
const OTHER_ENDINGS = 'jpe|bmp|jp2|raw|dng|cr[23]|nef|arw|svg|pdf|psd|eml';
const ENDINGS = [...FORMATS.flatMap(({ extensions }) => extensions), OTHER_ENDINGS].join('|');

interface Shape {
  pattern: RegExp;
  shown: string | ((found: string) => string);
}

/** In this order: an address may hold a key, and a name may look like a token. */
const SHAPES: readonly Shape[] = [
  { pattern: /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+/gi, shown: '<address>' },
  { pattern: /[^\s@"'<>()[\],:;]+@(?:[\w-]+\.)*(?:[a-z]{2,}|localhost)\b/gi, shown: '<e-mail>' },
  { pattern: /\b(?:assay_[0-9a-f]{16,}|whsec_[\w+/=-]{8,})/g, shown: '<key>' },
  { pattern: /\b[0-9a-f]{64}\b/g, shown: (found) => `${found.slice(0, 8)}…` },
  { pattern: /\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{32,}/g, shown: '<token>' },
  { pattern: new RegExp(`[^\\s/"'<>]+\\.(?:${ENDINGS})\\b(?!:\\d)`, 'gi'), shown: '<file>' },
  { pattern: /\b(?!127\.)(?:\d{1,3}\.){3}\d{1,3}\b/g, shown: '<ip>' },
  { pattern: /\b(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}\b/gi, shown: '<ip>' },
  { pattern: /\/home\/[^/\s"']+/g, shown: '/home/<user>' },
];

/** Match paths and hosts in the doctor's findings. The doctor's own sentences have neither. */
const PLACES: readonly RegExp[] = [/(?<![\w.<>/])\/[^\s"'<>,;()]+/g, /\b(?=[\w.-]*[a-z])[\w.-]+:\d{2,5}\b/g];

/** Shorter names are ordinary words too, and would tear holes into every sentence. */
const NAME_CHARACTERS_MIN = 4;

export class Redaction {
  readonly #known: RegExp | null;

  /** `known`: secrets, and names and addresses of people. */
  constructor(known: Iterable<string>) {
    const values = [...new Set(known)].filter((value) => value.length >= NAME_CHARACTERS_MIN);
    // The longest first: a name may be part of an address.
    values.sort((left, right) => right.length - left.length);
    this.#known = values.length === 0 ? null : new RegExp(values.map(escapePattern).join('|'), 'gi');
  }

  text(text: string): string {
    const plain = this.#known === null ? text : text.replace(this.#known, '<hidden>');
    return SHAPES.reduce(
      (shown, { pattern, shown: by }) =>
        typeof by === 'string' ? shown.replace(pattern, by) : shown.replace(pattern, by),
      plain,
    );
  }

  /** Like `text`, and without paths and hosts. */
  placeless(text: string): string {
    return PLACES.reduce((shown, pattern) => shown.replace(pattern, '<place>'), this.text(text));
  }

  /** Redacts every text of a JSON value; field names stay. */
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, this.value(child)]));
  }
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
