/** The trust lists of now: those that came with Assay, the one of the setting, and what administrators made of them. */
import { type TrustList, type TrustMaterial, toMaterial } from '../../domain/provenance/trust-list.ts';
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

  /** Takes effect with the next file that is read. */
  replace(lists: readonly TrustList[]): void {
    this.#lists = lists;
    this.#material = toMaterial(lists);
  }

  readonly material = (): TrustMaterial => this.#material;
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
    ...{ id: SETTING_LIST, name: 'provenance.trust_anchors_file', kind: 'signers_and_time' },
    ...{ source: file, date: '', frozen: null, terms: '', origin: 'setting', isOn: true },
    ...readTrustContent([{ holds: 'authorities', text: pem }]),
  };
}
