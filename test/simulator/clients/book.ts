/** What the clients of a history know: what they were answered, and so what must hold whatever dies. */

export interface KnownKey {
  id: number;
  accountId: number;
  secret: string;
  /** When it lost its owner, milliseconds since 1970; null while it holds. */
  revokedMs: number | null;
}

export interface AcceptedRecord {
  identifier: string;
  accountId: number;
  webhookUrl: string | null;
  requestId: string | null;
  /** A cancellation was asked for; the answer may have been lost. */
  mayBeCancelled: boolean;
  mayBeDeleted: boolean;
  isDeleted: boolean;
}

/** A submission whose answer has not come. */
export interface OpenRequest {
  accountId: number;
  content: number;
  requestId: string;
  webhookUrl: string | null;
}

export class Book {
  readonly accepted = new Map<string, AcceptedRecord>();
  /** Their senders will ask again under the same request identifier. */
  readonly unanswered = new Map<string, OpenRequest>();
  /** By request identifier: the record that it was answered with. */
  readonly answeredRequests = new Map<string, string>();
  /** That hold, as far as clients know. */
  readonly keys: KnownKey[] = [];
  /** Errors that clients got, by reason: a history in which all is refused shows nothing. */
  readonly refusals = new Map<string, number>();

  accept(record: AcceptedRecord): void {
    const { requestId, identifier } = record;
    if (requestId !== null) {
      const earlier = this.answeredRequests.get(requestId);
      const isGone = earlier !== undefined && this.accepted.get(earlier)?.mayBeDeleted === true;
      if (earlier !== undefined && earlier !== identifier && !isGone)
        throw new Error(`the request ${requestId} was answered with ${earlier} and with ${identifier}`);
      this.answeredRequests.set(requestId, identifier);
      this.unanswered.delete(requestId);
    }
    if (!this.accepted.has(identifier)) this.accepted.set(identifier, record);
  }

  refuse(reason: string): void {
    this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1);
  }
}
