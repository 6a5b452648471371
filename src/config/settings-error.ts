/** Why the daemon does not start: every fault of the settings at once, so that one look at the log is enough. */
import { OperatorFault } from '../domain/operator-fault.ts';

export interface SettingFault {
  /** The setting's name in the file: `http.listen`. */
  key: string;
  /** Where it was set: `assay.toml line 4`, `ASSAY_HTTP_LISTEN`, or `default` if two settings disagree. */
  place: string;
  expected: string;
  /** The value found, quoted; a secret's value is never shown. */
  found: string;
}

export function describeFault(fault: SettingFault): string {
  return `${fault.key} (${fault.place}): expected ${fault.expected}, found ${fault.found}`;
}

export class SettingsError extends OperatorFault {
  override readonly name = 'SettingsError';
  readonly faults: readonly SettingFault[];

  constructor(faults: readonly SettingFault[]) {
    const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`;
    super(`the settings have ${count}:\n${faults.map((fault) => `  ${describeFault(fault)}`).join('\n')}`);
    this.faults = faults;
  }
}
