/** What every resolver is given, whichever transport brought the operation. */
import type { App } from '../../../app/appliance/app.ts';
import type { Principal, Reader } from '../../../app/callers/principal.ts';
import type { PendingUpload } from './uploads.ts';

export interface GraphqlContext {
  readonly app: App;
  /** Finds the caller at the first question; throws an AppError if there is none. */
  readonly principal: () => Principal;
  /** The principal even before the terms of service are accepted, so that they can be. */
  readonly newcomer: () => Principal;
  /** What the fields of a record may depend on: subscriptions give equal readers one answer. */
  readonly reader: () => Reader;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** Files of a multipart request by the token that stands for them in the variables. */
  readonly uploads: ReadonlyMap<string, PendingUpload>;
}
