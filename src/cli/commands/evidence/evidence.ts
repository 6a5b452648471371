/** `assay evidence`: packages that anyone can verify, and the keys that sign them. */

import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Command } from 'commander';
import { EvidenceKeySchema, EvidenceService } from '../../../grpc/gen/assay/v1/evidence_service_pb.ts';
import { openClient } from '../../daemon/client.ts';
import { printLine, printNote, type Terminal } from '../../terminal/terminal.ts';
import { toJsonLine } from '../../views/message-json.ts';
import { formatTable } from '../../views/table.ts';
import { addExportCommand } from './export.ts';
import { addTimestampCommand } from './timestamp.ts';
import { addVerifyCommand } from './verify.ts';

const { method } = EvidenceService;

export function addEvidenceCommand(program: Command, terminal: Terminal): void {
  const evidence = program
    .command('evidence')
    .description('signed packages of records, which others verify without this box');
  addExportCommand(evidence, terminal);
  addVerifyCommand(evidence, terminal);
  addTimestampCommand(evidence, terminal);
  const key = evidence.command('key').description('the keys that sign packages');
  key
    .command('show', { isDefault: true })
    .description('the public keys of all that was ever signed here, newest first')
    .option('--json', 'one key per line, with its PEM')
    .option('--pem', 'the present key in PEM')
    .action((options: { json?: true; pem?: true }) => showKeys(terminal, options));
  key
    .command('rotate')
    .description('sign with a new key from now on; the old one stays published (administrators)')
    .option('--json', 'the keys as they stand then, one per line')
    .action((options: { json?: true }) => rotateKey(terminal, options));
}

async function showKeys(terminal: Terminal, options: { json?: true; pem?: true }): Promise<void> {
  using client = await openClient(terminal);
  const { keys } = await client.call(method.listEvidenceKeys, {});
  if (options.pem === true) terminal.stdout.write(keys[0]?.publicKeyPem ?? '');
  else if (options.json === true) {
    for (const key of keys) printLine(terminal, toJsonLine(EvidenceKeySchema, key));
  } else {
    const rows = keys.map(({ fingerprint, createdAt, retiredAt }) => [
      fingerprint,
      createdAt === undefined ? '' : timestampDate(createdAt).toISOString(),
      retiredAt === undefined ? 'signs' : `until ${timestampDate(retiredAt).toISOString()}`,
    ]);
    printLine(terminal, formatTable(['fingerprint', 'since', ''], rows));
  }
}

async function rotateKey(terminal: Terminal, { json }: { json?: true }): Promise<void> {
  using client = await openClient(terminal);
  const { keys } = await client.call(method.rotateEvidenceKey, {});
  if (json === true) {
    for (const key of keys) printLine(terminal, toJsonLine(EvidenceKeySchema, key));
    return;
  }
  const [present, before] = keys;
  printLine(terminal, present?.fingerprint ?? '');
  printNote(
    terminal,
    `Publish this fingerprint where others look for it. What ${before?.fingerprint ?? 'the old key'} signed still verifies.`,
  );
}
