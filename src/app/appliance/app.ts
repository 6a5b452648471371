/** All use cases' parts, as facades hold them. A use case takes `(app, input, signal)`, with its noun's parts as `app`. */
import type { AccountParts } from '../accounts/parts.ts';
import type { CustodyParts } from '../custody/parts.ts';
import type { ExportJobs } from '../evidence/export-jobs.ts';
import type { SearchParts } from '../records/kept-pictures.ts';
import type { SubmissionParts } from '../submissions/parts.ts';
import type { WatchFolderParts } from '../watch-folders/parts.ts';
import type { ApplianceParts } from './parts.ts';

export interface App
  extends AccountParts,
    SubmissionParts,
    ApplianceParts,
    CustodyParts,
    SearchParts,
    WatchFolderParts {
  readonly engine: ApplianceParts['engine'];
  readonly exportJobs: ExportJobs;
}
