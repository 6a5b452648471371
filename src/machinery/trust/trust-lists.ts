/** The trust lists of now: those that came with Assay, the one of the setting, and what administrators made of them. */
import {
  type StoredTrustList,
  type TrustList,
  type TrustMaterial,
  toMaterial,
} from '../../domain/provenance/trust-list.ts';
import { readTrustContent } from './trust-content.ts';
import { readShippedLists } from './trust-folder.ts';

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

  /** As they came: what a list that was changed goes back to. */
  get given(): readonly TrustList[] {
    return this.#given;
  }

  get all(): readonly TrustList[] {
    return this.#lists;
  }

  /** Takes effect with the next file that is read. Throws a TrustListError where a list cannot be read. */
  apply(stored: readonly StoredTrustList[]): void {
    this.#lists = this.with(stored);
    this.#material = toMaterial(this.#lists);
  }

  /** What the lists would be. */
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

/** Null for what was made of a list that is given no more: a setting that was taken back. */
function openAdded({ files, ...notes }: StoredTrustList): TrustList | null {
  return files === null ? null : { ...notes, origin: 'added', ...readTrustContent(files) };
}

export interface GivenLists {
  /** `trust/` of the program. */
  folder: string;
  /** PEM bundle of the setting, or an empty string. */
  settingPem: string;
  /** Path of its file; null where none is set. */
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
