import type { Tracing } from '../../machinery/tracing.ts';
import type { Turnstile } from '../../machinery/turns/turnstile.ts';
import type { UnfinishedUpload } from '../../store/unfinished-upload.ts';
import type { OpenPlaces } from '../callers/open-places.ts';
import type { CallerParts } from '../callers/parts.ts';
import type { RecordParts } from '../records/parts.ts';

export interface SubmissionParts extends CallerParts, RecordParts {
  /** 32 unpredictable bytes as hex: identifiers. */
  readonly newIdentifier: () => string;
  /** Null: no collector is named. */
  readonly tracing: Tracing | null;
  readonly openUploads: OpenPlaces;
  /** Flushes of what was received, in turns over accounts. */
  readonly flushes: Turnstile;
  /** Two calls that find an upload whole must not both submit it; one begun anew under its name is another upload. */
  readonly submitting: Map<UnfinishedUpload, Promise<string>>;
}
