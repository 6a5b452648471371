/** Trust lists come with Assay (`trust/lists.json`), from `provenance.trust_anchors_file`, and from administrators. */
import { text, type ValuesOf } from '../field.ts';

/** `signers` vouches for signatures, `time` for time stamps; `products` names software and devices, not persons. */
export const TRUST_LIST_KINDS = ['signers', 'time', 'signers_and_time', 'products'] as const;
export type TrustListKind = (typeof TRUST_LIST_KINDS)[number];

/** Lists that have a meaning of their own in a reading; all others are the operator's. */
export const OFFICIAL_LIST = 'c2pa';

/** A product of the list of conforming products, by the name that its certificates carry. */
export interface ConformingProduct {
  commonName: string;
  organisation: string;
  /** Empty if the list names none, which includes every unit. */
  unit: string;
  /** Its highest assurance level, 1 or 2; null if the list names none. */
  assuranceLevel: number | null;
  /** Whether the list lets it declare that media were captured by a device. */
  mayCapture: boolean;
}

/** A list as a decode child needs it. */
export interface TrustListMaterial {
  id: string;
  /** SHA-256 of its files, hex, which a record keeps. */
  sha256: string;
  kind: TrustListKind;
  /** Certificate authorities, DER in base64. */
  authorities: string[];
  /** Certificates that vouch for themselves alone: SHA-256 of their DER, hex. */
  single: string[];
  products: ConformingProduct[];
}

/** All active lists, in the order in which they are asked. */
export interface TrustMaterial {
  lists: TrustListMaterial[];
  /** Object identifiers of permitted key usages beside those of the C2PA specification. */
  uses: string[];
}

export const NO_TRUST: Readonly<TrustMaterial> = Object.freeze({ lists: [], uses: [] });

/** A list that judged a file. */
export const APPLIED_LIST = {
  id: text(),
  sha256: text('Hash of its files, hex.'),
};
export interface AppliedList extends ValuesOf<typeof APPLIED_LIST> {}

export function appliedLists({ lists }: TrustMaterial): AppliedList[] {
  return lists.map(({ id, sha256 }) => ({ id, sha256 }));
}

export function vouchesForSigners({ kind }: Pick<TrustListMaterial, 'kind'>): boolean {
  return kind === 'signers' || kind === 'signers_and_time';
}

export function vouchesForTime({ kind }: Pick<TrustListMaterial, 'kind'>): boolean {
  return kind === 'time' || kind === 'signers_and_time';
}

/** Lists whose certificates name devices and software: they vouch for no person of an identity assertion. */
const OF_PRODUCTS: readonly string[] = [OFFICIAL_LIST, 'c2pa-time', 'c2pa-products', 'interim'];

export function vouchesForPeople(list: Pick<TrustListMaterial, 'id' | 'kind'>): boolean {
  return vouchesForSigners(list) && !OF_PRODUCTS.includes(list.id);
}

/** The origin of a list: Assay, the setting, or an administrator. */
export const TRUST_LIST_ORIGINS = ['shipped', 'setting', 'added'] as const;
export type TrustListOrigin = (typeof TRUST_LIST_ORIGINS)[number];

export interface TrustListNotes {
  id: string;
  name: string;
  /** Where it was published. */
  source: string;
  /** Day of its publication, `YYYY-MM-DD`. */
  date: string;
  terms: string;
  /** Day after which nothing was added any more; null for a maintained list. */
  frozen: string | null;
}

export interface TrustList extends TrustListNotes {
  kind: TrustListKind;
  origin: TrustListOrigin;
  isOn: boolean;
  /** SHA-256 of its files one after the other, hex. */
  sha256: string;
  /** Certificate authorities, DER in base64. */
  authorities: string[];
  /** Certificates that vouch for themselves alone, DER in base64. */
  singles: { der: string; sha256: string }[];
  products: ConformingProduct[];
  uses: string[];
}

export function toMaterial(lists: readonly TrustList[]): TrustMaterial {
  const on = lists.filter(({ isOn }) => isOn);
  return {
    lists: on.map(({ id, sha256, kind, authorities, singles, products }) => ({
      id,
      sha256,
      kind,
      authorities,
      products,
      single: singles.map((single) => single.sha256),
    })),
    uses: [...new Set(on.flatMap(({ uses }) => uses))],
  };
}

/** Contents of a list's file. */
export const HOLDINGS = ['authorities', 'single', 'products', 'uses'] as const;
export type Holding = (typeof HOLDINGS)[number];

export interface TrustFile {
  holds: Holding;
  text: string;
}

/** An administrator's change of a list, as it is stored. */
export interface StoredTrustList extends TrustListNotes {
  kind: TrustListKind;
  isOn: boolean;
  /** Null: unchanged from Assay or the setting. */
  files: TrustFile[] | null;
}
