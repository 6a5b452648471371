/** The record: the fields of docs/interface.md, which REST lists itself, and those of the newer facades. */
import {
  flag,
  identifier,
  idNumber,
  json,
  listOf,
  long,
  moment,
  noun,
  nullable,
  number,
  oneOf,
  text,
  whole,
} from '../field.ts';
import { LABEL, MEDIA_KIND } from '../media/media.ts';
import { MEDIUM } from '../media/medium.ts';
import { VIEW_FIELDS } from '../packs/view-axes.ts';
import type { C2paReport } from '../provenance/provenance.ts';
import type { ProvenanceRecord } from '../provenance/provenance-record.ts';
import type { FileFacts } from '../provenance/shown-facts.ts';
import { type AddedAnalyses, type Progress, STATUS, type SubmittedBy } from '../records/classification.ts';

import type { ExportedReading } from '../records/exported-reading.ts';
import type { Headline } from '../records/headline.ts';
import type { AnalysisOptions } from '../records/options.ts';
import { OUTCOME } from '../records/outcome.ts';
import type { Shot } from '../records/shots.ts';
import type { SignOff } from '../records/sign-off.ts';
import type { StepTime } from '../records/step-times.ts';
import type { TranscriptSummary } from '../transcripts/transcript.ts';
import type { Assessment } from '../verdicts/assessment.ts';
import type { Verdict } from '../verdicts/heuristics.ts';
import type { Mark } from '../verdicts/marks.ts';
import type { AppliedRules } from '../verdicts/rules-version.ts';
import type { Tentative } from '../verdicts/tentative.ts';
import type { ClipRecord, Detail, ModelResult } from './record-parts.ts';
import { HEATMAP_LAYER, ORIGIN } from './words.ts';

export const RECORD = {
  identifier: identifier(),
  kind: oneOf(MEDIA_KIND),
  hash: text('SHA-256 of the file in hex, empty while an address has not been fetched.'),
  apiVersion: nullable(text({ label: ['Interface', 'Interfaccia'] })),
  /** Null until the analysis completes. */
  rules: nullable(json<AppliedRules>({ isComputed: true })),
  status: oneOf(STATUS),
  outcome: oneOf(OUTCOME),
  headline: noun<Headline>(
    'Headline',
    'What stands at the top of the record wherever it is shown; the documented verdict stands beneath it.',
  ),
  errors: text('Why the work failed; empty where it did not.'),
  name: text(),
  refId: text({ label: ['Reference', 'Riferimento'] }),
  resultUrl: text(),
  forceClassification: nullable(oneOf(LABEL)),
  deskId: nullable(idNumber('The desk that it belongs to; null if it is the account’s own.')),
  accountId: idNumber('The account that sent it.'),
  accountName: text('Name of that account; empty if it is gone.'),
  signOff: nullable(
    noun<SignOff>(
      'SignOff',
      'Whether another person has signed off the finding that forces the class; null where none was asked for.',
    ),
  ),
  mime: text({ documented: 'mimetype' }),
  sizeBytes: long({ documented: 'filesize', description: 'In bytes.' }),
  sourceUrl: nullable(text({ label: ['Fetched from', 'Prelevato da'] })),
  options: noun<AnalysisOptions>('AnalysisOptions'),
  origin: oneOf(ORIGIN),
  credits: number(),
  createdAt: moment(),
  endedAt: nullable(moment()),
  progress: nullable(noun<Progress>('Progress', 'Present while the work waits or runs.')),
  added: nullable(
    noun<AddedAnalyses>(
      'AddedAnalyses',
      'What is being added to the result, or why the last of it could not be made; null where nothing was, and once it is there.',
    ),
  ),
  stepTimes: listOf(
    noun<StepTime>('StepTime', 'How long the steps of its analysis took; empty until it completes.'),
  ),
  /** Never stored. */
  tentative: nullable(
    noun<Tentative>('Tentative', 'What was found so far; only while a video or a sound is analysed.'),
  ),
  cancelled: flag(),
  exports: listOf(
    noun<ExportedReading>(
      'ExportedReading',
      'What it said in each evidence package that went out, oldest first.',
    ),
  ),
  partOf: nullable(text('The video whose frame or track it is; null for a file of its own.')),
  submittedBy: nullable(
    noun<SubmittedBy>('SubmittedBy', 'Null in records of versions that did not note it.'),
  ),
};

/** Results of every kind; a video's verdicts have more. */
export const FINDINGS = {
  verdict: nullable(noun<Verdict>('Verdict')),
  verdicts: listOf(noun<Verdict>('Verdict')),
  assessment: nullable(noun<Assessment>('Assessment')),
  provenance: nullable(
    noun<ProvenanceRecord>(
      'Provenance',
      'Signed manifests, read as a person means it. Null in records of versions that did not read them so, until the analysis completes, and in frames and tracks, which leave it to the video.',
    ),
  ),
  fileFacts: nullable(
    noun<FileFacts>(
      'FileFacts',
      'What the file says of how it was made. Null in records of versions that did not read it, until the analysis completes, for formats whose metadata are not read, and in frames and tracks, which leave it to the video.',
    ),
  ),
  marks: nullable(
    listOf(
      noun<Mark>(
        'Mark',
        'What the file says of its own origin. Null where it was not looked for, by an older version or not yet; frames and tracks leave theirs to the video.',
      ),
    ),
  ),
};

export const IMAGE = {
  timeSeconds: nullable(number('Where a frame is in its video; null for a picture of its own.')),
  width: nullable(whole()),
  height: nullable(whole()),
  medium: nullable(
    oneOf(
      MEDIUM,
      'What the picture is of, said where it is probable enough, else UNKNOWN; null where no model looked for it.',
    ),
  ),
  ...VIEW_FIELDS,
  c2pa: nullable(json<C2paReport>()),
  hasHeatmap: flag(),
  heatmapLayers: listOf(oneOf(HEATMAP_LAYER, 'The maps that were made.')),
  results: listOf(noun<ModelResult>('ModelResult')),
  details: listOf(noun<Detail>('Detail')),
};

export const AUDIO = {
  durationSeconds: nullable(number()),
  speechSeconds: nullable(number('What of it is speech; only speech is judged.')),
  c2pa: nullable(json<C2paReport>()),
  results: listOf(noun<ModelResult>('ModelResult')),
  clips: listOf(noun<ClipRecord>('Clip')),
  transcript: nullable(
    noun<TranscriptSummary>(
      'Transcript',
      'What is said, as a machine wrote it down; null where it was not asked for, and until the analysis completes.',
    ),
  ),
};

export const VIDEO = {
  width: nullable(whole()),
  height: nullable(whole()),
  durationSeconds: nullable(number()),
  ...VIEW_FIELDS,
  c2pa: nullable(json<C2paReport>()),
  // Records themselves: domain/answers/record.ts gives their kinds.
  images: listOf(noun<unknown>('ImageClassification')),
  audios: listOf(noun<unknown>('AudioClassification')),
  shots: listOf(
    noun<Shot>(
      'Shot',
      'Frames that follow each other and look alike. Empty until the analysis completes, and if nothing is kept by which frames can be compared.',
    ),
  ),
};
