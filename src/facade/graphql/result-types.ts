/** The parts of a record: verdicts, model results, assessment, progress and options. */
import { ANALYSIS_OPTIONS } from '../../domain/contract/analysis-options.ts';
import { PROVENANCE_PARTS } from '../../domain/contract/provenance-parts.ts';
import { RECORD_PARTS } from '../../domain/contract/record-parts.ts';
import { defineNoun } from './nouns.ts';

export function defineRecordParts(): void {
  for (const part of [...PROVENANCE_PARTS, ...RECORD_PARTS]) defineNoun(part);
  defineNoun({ name: 'AnalysisOptions', fields: ANALYSIS_OPTIONS });
}
