/** Writes sign-offs of findings: each step with its entry in the custody log, the open ones in an index. */
import type { AuditLine } from '../../domain/custody/audit.ts';
import { holderOf } from '../../domain/desk.ts';
import type { Override } from '../../domain/records/classification.ts';
import { type StoredSignOff, stateOfSignOff } from '../../domain/records/sign-off.ts';
import type { CustodyLog } from '../custody/custody-log.ts';
import { SIGN_OFFS } from '../tables/collections.ts';
import type { Tables } from '../tables/schema.ts';
import { fileSubject, type HeldFile } from '../tables/stored-custody.ts';

export type SignOffStep = 'sign_off_asked' | 'sign_off_agreed' | 'sign_off_disagreed';

export class SignOffWriter {
  readonly #tables: Tables;
  readonly #custody: CustodyLog;

  constructor(tables: Tables, custody: CustodyLog) {
    this.#tables = tables;
    this.#custody = custody;
  }

  put(signOff: StoredSignOff, step: SignOffStep, by: AuditLine): void {
    this.#replace(signOff);
    const { kind, hash, findingAt, answers } = signOff;
    const reason = step === 'sign_off_asked' ? '' : (answers.at(-1)?.reason ?? '');
    const what = { kind, hash, findingAt, reason };
    this.#custody.appendAudited({ kind: step, subject: '', also: [fileSubject(signOff)], what }, by);
  }

  /** Ends the sign-off of a finding that no longer holds. Does nothing if none was asked for. */
  end(finding: Override, ended: 'withdrawn' | 'superseded', actor: number | null): void {
    const signOff = this.#tables.signOffs.getUnlessDamaged(keyOf(finding));
    if (signOff === undefined || signOff.ended !== null) return;
    const before = stateOfSignOff(signOff);
    this.#replace({ ...signOff, ended });
    const { kind, hash, findingAt } = signOff;
    const details = { what: { kind, hash, findingAt, before, ended } };
    this.#custody.append({
      kind: 'sign_off_ended',
      subject: '',
      also: [fileSubject(signOff)],
      actor,
      details,
    });
  }

  /** Removes the sign-offs with the last record of the file, damaged ones too. */
  forget(file: HeldFile): void {
    const range = [keyOf({ ...file, at: 0 }), keyOf({ ...file, at: Number.MAX_SAFE_INTEGER })] as const;
    for (const { key, value } of [...this.#tables.signOffs.entries([...range[0]], [...range[1]])]) {
      if (value === undefined) this.#tables.signOffs.remove(key);
      else SIGN_OFFS.remove(this.#tables, key, value);
    }
  }

  #replace(signOff: StoredSignOff): void {
    const key = keyOf({ ...signOff, at: signOff.findingAt });
    SIGN_OFFS.put(this.#tables, key, signOff, this.#tables.signOffs.getUnlessDamaged(key));
  }
}

/** The same key as in the history of findings. */
function keyOf({ at, ...file }: HeldFile & Pick<Override, 'at'>) {
  return [holderOf(file), file.kind, file.hash, at];
}
