/** The history of a file by its record: who did what and when, with earlier packages that said something else. */
import { readingOfRecord, type StoredExport } from '../../domain/records/exported-reading.ts';
import type { SignOff } from '../../domain/records/sign-off.ts';
import { showText } from '../../domain/shown-text.ts';
import type { EvidenceRecord } from '../evidence-record.ts';
import { type Block, bounded } from './blocks.ts';
import type { Speaker } from './texts.ts';

interface Place {
  /** Microseconds since 1970 UTC. */
  createdAt: number;
}

/** Entries of the custody log that the record itself lacks. */
const CUSTODY_KINDS: readonly string[] = [
  ...['fetched', 'cancelled', 'retried', 'analyses_added', 'looked_at', 'downloaded'],
  ...[
    'manifest_reread',
    'manifest_not_reread',
    'override_removed',
    'sign_off_asked',
    'sign_off_ended',
    'bytes_deleted',
  ],
];
/** Bound for a record that hundreds look at: all entries are in the package's custody. */
const ENTRIES_SHOWN_MAX = 100;

export function historyBlocks(speaker: Speaker, one: EvidenceRecord, place: Place): Block[] {
  const { record, overrides } = one;
  const events: [number, string][] = [[record.createdAt, submissionOf(speaker, one)]];
  if (record.endedAt !== null) {
    const models = one.models.map(({ id, version }) => `${id} ${version}`).join(', ');
    const text =
      record.status === 'done' ? speaker.text('analysedBy', { models }) : speaker.say('analysisFailed');
    events.push([record.endedAt, text]);
  }
  for (const { at, byAccountId, byName, classification, reason, signOff } of overrides) {
    events.push(...answersOf(speaker, signOff));
    const marked = speaker.say(classification === 'human' ? 'human' : 'artificial');
    const why = reason === '' ? '' : ` (“${showText(reason)}”)`;
    const who = personOf(speaker, byAccountId, byName);
    events.push([at, speaker.text('saidByPerson', { who, classification: marked, reason: why })]);
  }
  for (const made of record.exports) {
    const reading = describeReading(speaker, made);
    const name = made.packageSha256.slice(0, 12);
    events.push([made.at, speaker.text('exportedBefore', { package: name, reading })]);
  }
  events.push([place.createdAt, speaker.text('exportedNow')]);
  const seen = one.custody.entries.filter(({ kind }) => CUSTODY_KINDS.includes(kind));
  for (const { at, kind, accountId, accountName, facade } of seen.slice(-ENTRIES_SHOWN_MAX)) {
    const by = accountId === null ? '' : `: ${personOf(speaker, accountId, accountName)}`;
    const via = facade === '' ? '' : ` (${speaker.find(`via_${facade}`) ?? facade})`;
    events.push([at, `${speaker.find(`custody_${kind}`) ?? kind}${by}${via}`]);
  }
  const custody = speaker.text('custodyAt', { member: one.custodyMember });
  return [
    ...contradictionBlocks(speaker, one),
    { type: 'heading', level: 2, text: speaker.text('whoWhatWhen') },
    {
      type: 'table',
      head: [speaker.text('time'), ''],
      rows: events
        .toSorted(([left], [right]) => left - right)
        .map(([at, text]) => [speaker.time(at), bounded(text)]),
      widths: ['auto', '*'],
    },
    { type: 'paragraph', text: custody, isQuiet: true },
  ];
}

/** With the number, since two may have one name. */
function personOf(speaker: Speaker, id: number, name: string): string {
  return name === '' ? speaker.say('accountNumber', { id }) : `${showText(name)} (${id})`;
}

/** Sign-off answers with their reasons, which the owner's custody entries lack. */
function answersOf(speaker: Speaker, signOff: SignOff | null): [number, string][] {
  return (signOff?.answers ?? []).map(({ at, agrees, byAccountId, byName, reason }) => {
    const who = personOf(speaker, byAccountId, byName);
    const said = speaker.say(agrees ? 'signOffAgreedBy' : 'signOffDisagreedBy', { who });
    return [at, reason === '' ? said : `${said} (“${showText(reason)}”)`];
  });
}

/** A finding that has left the box is never contradicted silently. */
function contradictionBlocks(speaker: Speaker, { record }: EvidenceRecord): Block[] {
  const now = readingOfRecord(record);
  return record.exports
    .filter((made) => made.readsOtherwise)
    .map((made) => ({
      type: 'paragraph',
      text: speaker.text('readOtherwise', {
        before: describeReading(speaker, made),
        rules: made.rulesVersion,
        when: speaker.time(made.at),
        now: now === null ? '–' : describeReading(speaker, now),
      }),
    }));
}

function describeReading(
  speaker: Speaker,
  { state, probability }: Pick<StoredExport, 'state' | 'probability'>,
): string {
  const shown = speaker.find(`outcome_${state}`) ?? state;
  if (probability === null) return shown;
  return speaker.text('reading', { state: shown, probability: speaker.percent(probability, 1) });
}

function submissionOf(speaker: Speaker, { record }: EvidenceRecord): string {
  const origin = speaker.find(`origin_${record.origin.toUpperCase()}`) ?? record.origin;
  const { submittedBy } = record;
  if (submittedBy === null) return origin;
  const via = speaker.find(`via_${submittedBy.via}`) ?? submittedBy.via;
  return submittedBy.keyId === null
    ? speaker.text('handedIn', { origin, via })
    : speaker.text('handedInKey', { origin, via, key: showText(submittedBy.keyName) });
}
