import { writeFile } from 'node:fs/promises';
import { Option } from 'commander';
import { codeOf } from '../../../domain/error-code.ts';
import { ApplianceService } from '../../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { openClient } from '../../daemon/client.ts';
import { act, commandOf } from '../../rows/row.ts';
import { CliFailure, EXIT_CODES } from '../../terminal/failure.ts';
import { printNote, type Terminal } from '../../terminal/terminal.ts';
import { type OutcomeOptions, printOutcome } from '../../views/outcome.ts';

export const addSupportBundleCommand = commandOf(
  act(
    'support-bundle',
    'write settings, state, figures and recent log lines to a file for support (administrators)',
    {
      options: [new Option('--output <file>', 'a new file (assay-support-<time>.tar.gz)')],
      run: writeBundle,
    },
  ),
);

async function writeBundle(terminal: Terminal, options: OutcomeOptions & { output?: string }): Promise<void> {
  using client = await openClient(terminal);
  const { name, archive } = await client.call(ApplianceService.method.getSupportBundle, {});
  const path = options.output ?? name;
  try {
    await writeFile(path, archive, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new CliFailure(`${path} cannot be written: ${codeOf(error)}`, EXIT_CODES.someFailed, {
      cause: error,
    });
  }
  printNote(
    terminal,
    'It holds no media, names, addresses, keys or references; look into it before you send it.',
  );
  printOutcome(terminal, options, { path, bytes: archive.length }, path);
}
