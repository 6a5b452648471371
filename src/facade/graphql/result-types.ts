/** The parts of a record, and what is said beside it. */

import type { OverrideResult } from '../../domain/answers/record.ts';
import { PROVENANCE_PARTS } from '../../domain/contract/provenance-parts.ts';
import { RECORD_PARTS } from '../../domain/contract/record-parts.ts';
import { TRUST_PARTS } from '../../domain/contract/trust.ts';
import { ANALYSIS_OPTIONS } from '../../domain/records/analysis-options.ts';
import { labelEnum, mediaKindEnum } from './builder.ts';
import { defineNoun, nameType } from './nouns.ts';

export function defineRecordParts(): void {
  for (const part of [...PROVENANCE_PARTS, ...RECORD_PARTS, ...TRUST_PARTS]) defineNoun(part);
  defineNoun({ name: 'AnalysisOptions', fields: ANALYSIS_OPTIONS });
  nameType<OverrideResult>('Override').implement({
    fields: (t) => ({
      classification: t.expose('classification', { type: labelEnum }),
      kind: t.expose('type', { type: mediaKindEnum }),
      hash: t.exposeString('hash'),
    }),
  });
}
