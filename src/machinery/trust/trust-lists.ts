/** The present trust lists: those that came with Assay, the one of the setting, and administrators' changes. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
  HOLDINGS,
  type StoredTrustList,
  TRUST_LIST_KINDS,
  type TrustFile,
  type TrustList,
  type TrustMaterial,
  toMaterial,
} from '../../domain/provenance/trust-list.ts';
import { readTrustContent } from './trust-content.ts';

/** The list of the setting `provenance.trust_anchors_file`. */
export const SETTING_LIST = 'setting';

export class TrustLists {
  readonly #given: readonly TrustList[];
  #lists: readonly TrustList[];
  #material: TrustMaterial;

  constructor(given: readonly TrustList[]) {
    this.#given = given;
    this.#lists = given;
    this.#material = toMaterial(given);
  }

  /** The lists as they came, to which a changed list can return. */
  get given(): readonly TrustList[] {
    return this.#given;
  }

  get all(): readonly TrustList[] {
    return this.#lists;
  }

  /** Takes effect with the next file that is read. Throws a TrustListError if a list cannot be read. */
  apply(stored: readonly StoredTrustList[]): void {
    this.#lists = this.with(stored);
    this.#material = toMaterial(this.#lists);
  }

  /** The lists with these changes, without applying them. */
  with(stored: readonly StoredTrustList[]): TrustList[] {
    const changed = this.#given.map((list) =>
      changeList(
        list,
        stored.find(({ id }) => id === list.id),
      ),
    );
    const added = stored.filter(({ id }) => !this.#given.some((list) => list.id === id));
    return [...changed, ...added.flatMap((list) => openAdded(list) ?? [])];
  }

  readonly material = (): TrustMaterial => this.#material;
}

function changeList(given: TrustList, stored: StoredTrustList | undefined): TrustList {
  if (stored === undefined) return given;
  const { isOn, files, date, source } = stored;
  return files === null ? { ...given, isOn } : { ...given, isOn, date, source, ...readTrustContent(files) };
}

/** Null for a changed list whose setting was taken back. */
function openAdded({ files, ...notes }: StoredTrustList): TrustList | null {
  return files === null ? null : { ...notes, origin: 'added', ...readTrustContent(files) };
}

export interface GivenLists {
  /** `trust/` of the program. */
  folder: string;
  /** PEM bundle of the setting, or an empty string. */
  settingPem: string;
  /** Path of its file; null if none is set. */
  settingFile: string | null;
}

export function openTrustLists({ folder, settingPem, settingFile }: GivenLists): TrustLists {
  const shipped = readShippedLists(folder);
  if (settingPem === '') return new TrustLists(shipped);
  return new TrustLists([...shipped, toSettingList(settingPem, settingFile ?? '')]);
}

function toSettingList(pem: string, file: string): TrustList {
  return {
    id: SETTING_LIST,
    name: 'provenance.trust_anchors_file',
    kind: 'signers_and_time',
    source: file,
    date: '',
    frozen: null,
    terms: '',
    origin: 'setting',
    isOn: true,
    ...readTrustContent([{ holds: 'authorities', text: pem }]),
  };
}

const shippedLists = z.array(
  z.strictObject({
    id: z.string(),
    name: z.string(),
    kind: z.enum(TRUST_LIST_KINDS),
    source: z.string(),
    date: z.iso.date(),
    frozen: z.iso.date().optional(),
    terms: z.string(),
    files: z.array(z.strictObject({ path: z.string(), holds: z.enum(HOLDINGS), sha256: z.string() })).min(1),
  }),
);

/** Throws if a file is missing or differs from the shipped one: a tampered list must not decide. */
export function readShippedLists(folder: string): TrustList[] {
  const lists = shippedLists.parse(JSON.parse(readFileSync(join(folder, 'lists.json'), 'utf8')));
  return lists.map(({ files, frozen = null, ...notes }) => {
    const texts = files.map(({ path, holds, sha256 }): TrustFile => {
      const text = readFileSync(join(folder, path), 'utf8');
      const found = createHash('sha256').update(text).digest('hex');
      if (found !== sha256)
        throw new Error(`${join(folder, path)} is not the list that came with Assay: SHA-256 ${found}`);
      return { holds, text };
    });
    const content = readTrustContent(texts, { isShipped: true });
    return { ...notes, frozen, origin: 'shipped', isOn: true, ...content };
  });
}
