import type { Tracing } from '../../machinery/tracing.ts';
import type { Turnstile } from '../../machinery/turns/turnstile.ts';
import type { UnfinishedUpload } from '../../store/unfinished-upload.ts';
import type { OpenPlaces } from '../callers/open-places.ts';
import type { CallerParts } from '../callers/parts.ts';
import type { RecordParts } from '../records/parts.ts';

export interface SubmissionParts extends CallerParts, RecordParts {
  /** 32 unpredictable bytes as hex: identifiers. */
  readonly newIdentifier: () => string;
  /** Null without a collector. */
  readonly tracing: Tracing | null;
  readonly openUploads: OpenPlaces;
  /** Flushes of received files, in turns over accounts. */
  readonly flushes: Turnstile;
  /** Two calls that find an upload whole must not both submit it; an upload begun anew under its name is another one. */
  readonly submitting: Map<UnfinishedUpload, Promise<string>>;
}
