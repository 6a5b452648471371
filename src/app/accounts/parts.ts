import type { Sealer } from '../../machinery/sealer.ts';
import type { CallerParts } from '../callers/parts.ts';
import type { AccountFeed } from './account-feed.ts';
import type { Mailer } from './mail.ts';

export interface AccountParts extends CallerParts {
  readonly accountFeed: AccountFeed;
  readonly mailer: Mailer;
  readonly sealer: Sealer;
}
