/**
 * What the custody log records: one row per kind. Another kind of fact is another row here; what an account or an administrator
 * did (`account.create`, `key.reveal`) has its action as its kind and needs none.
 */

interface KindRow {
  /**
   * What its details are about and go with: a record; an analysis, with the last record of it; a file of an account, with
   * the last record of it; nothing, so that they stay.
   */
  about: 'record' | 'analysis' | 'file' | 'nothing';
  /** How the audit log names it; absent if no person did it. */
  action?: string;
}

export const CUSTODY_KINDS = {
  /** A record was accepted: by whom, how, from where, which bytes. */
  received: { about: 'record' },
  /** The bytes of an address came in. */
  fetched: { about: 'record' },
  /** An analysis ended: models with their digests, versions, device. */
  analysed: { about: 'analysis' },
  failed: { about: 'analysis' },
  /** Its manifest was read anew under other trust lists; the details name the answers that changed. */
  manifest_reread: { about: 'analysis' },
  /** It could not be: the file is gone, or not readable. What was read before stands. */
  manifest_not_reread: { about: 'analysis' },
  cancelled: { about: 'record', action: 'classification.cancel' },
  /** Analyses that were not asked for at first were asked for now; the details name them and their price. */
  analyses_added: { about: 'record', action: 'classification.add' },
  retried: { about: 'record', action: 'classification.retry' },
  /** A signed-in person opened the record, its original or a rendition. */
  looked_at: { about: 'record' },
  /** The original, or a package, left the box. */
  downloaded: { about: 'record' },
  /** The record went out in a signed package; the details name it. */
  exported: { about: 'record', action: 'evidence.export' },
  /** A person's finding of a file. */
  overridden: { about: 'file', action: 'override.set' },
  override_removed: { about: 'file', action: 'override.remove' },
  /** A second pair of eyes on a person's finding: another person was asked, and what that person says. */
  sign_off_asked: { about: 'file', action: 'sign_off.ask' },
  sign_off_agreed: { about: 'file', action: 'sign_off.agree' },
  sign_off_disagreed: { about: 'file', action: 'sign_off.disagree' },
  /** The finding that it was about was changed or taken back. */
  sign_off_ended: { about: 'file' },
  /** The stored bytes went when their time was up; the record stays. */
  bytes_deleted: { about: 'record' },
  /** The record is gone, with the details of its entries; that it was there stays. Its own details name those entries. */
  deleted: { about: 'nothing', action: 'classification.delete' },
  /** An administrator took details away; its own details name the entries. */
  redacted: { about: 'nothing', action: 'custody.redact' },
  /** An audit line that is older than the chain, taken over when the chain began. */
  taken_over: { about: 'nothing' },
  /** The box, a restored box or a copy of it begins to write under an epoch of its own. */
  epoch_opened: { about: 'nothing' },
  /** The head and the last entry disagreed: what lies before is damaged, and this entry says how. */
  segment_opened: { about: 'nothing' },
  key_made: { about: 'nothing' },
  key_rotated: { about: 'nothing' },
} as const satisfies Readonly<Record<string, KindRow>>;

export type FactKind = keyof typeof CUSTODY_KINDS;
/** The second form is an action of the audit log: `noun.verb`. */
export type CustodyKind = FactKind | `${string}.${string}`;

const ROWS: ReadonlyMap<string, KindRow> = new Map(Object.entries<KindRow>(CUSTODY_KINDS));

export function aboutOf(kind: string): KindRow['about'] {
  return ROWS.get(kind)?.about ?? 'nothing';
}

/** How the audit log names an entry of the kind. */
export function actionOf(kind: string): string {
  return ROWS.get(kind)?.action ?? kind;
}

const KINDS_OF_ACTIONS = new Map(
  [...ROWS].flatMap(([kind, { action }]) => (action === undefined ? [] : ([[action, kind]] as const))),
);

/** What an action of the audit log is in the chain. */
export function kindOfAction(action: string): CustodyKind {
  return (KINDS_OF_ACTIONS.get(action) ?? action) as CustodyKind;
}
