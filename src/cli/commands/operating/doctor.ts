import { showText } from '../../../domain/shown-text.ts';
import { ApplianceService, FindingState } from '../../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { openClient } from '../../daemon/client.ts';
import { act, commandOf } from '../../rows/row.ts';
import { EXIT_CODES } from '../../terminal/failure.ts';
import { printLine, type Terminal } from '../../terminal/terminal.ts';
import { formatColumns } from '../../views/columns.ts';
import { nameOf } from '../../views/enum-word.ts';

export const addDoctorCommand = commandOf(
  act(
    'doctor',
    'examine the daemon’s box: what was found, and what to do; exits with 1 if something is bad',
    {
      json: 'one finding per line',
      run: examine,
    },
  ),
);

async function examine(terminal: Terminal, options: { json?: true }): Promise<void> {
  using client = await openClient(terminal);
  const { findings } = await client.call(ApplianceService.method.examine, {});
  if (findings.some(({ state }) => state === FindingState.BAD)) terminal.setExitCode(EXIT_CODES.someFailed);
  if (options.json === true) {
    for (const { name, state, found, advice } of findings) {
      printLine(terminal, JSON.stringify({ name, state: nameOf(FindingState, state), found, advice }));
    }
    return;
  }
  const rows = findings.flatMap(({ name, state, found, advice }) => [
    [nameOf(FindingState, state), showText(name), showText(found)],
    ...(advice === '' ? [] : [['', '', `→ ${showText(advice)}`]]),
  ]);
  printLine(terminal, formatColumns(rows));
}
