import type { AccountParts } from '../accounts/parts.ts';
import type { SubmissionParts } from '../submissions/parts.ts';
import type { WatchBoard } from './watch-board.ts';

export interface WatchFolderParts extends AccountParts, SubmissionParts {
  readonly watching: WatchBoard;
}
