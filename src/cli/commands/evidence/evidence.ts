import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { type Command, Option } from 'commander';
import { EvidenceKeySchema, EvidenceService } from '../../../grpc/gen/assay/v1/evidence_service_pb.ts';
import { openClient } from '../../daemon/client.ts';
import { act, addRow, type CommandRow, listing } from '../../rows/row.ts';
import { printLine, printNote, type Terminal } from '../../terminal/terminal.ts';
import { toJsonLine } from '../../views/message-json.ts';
import { addExportCommand } from './export.ts';
import { addTimestampCommand } from './timestamp.ts';
import { addVerifyCommand } from './verify.ts';

const { method } = EvidenceService;

const LIST = listing(
  'show',
  'the public keys of all that was ever signed here, newest first',
  method.listEvidenceKeys,
  'keys',
  {
    isDefault: true,
    json: 'one key per line, with its PEM',
    options: [new Option('--pem', 'the present key in PEM')],
    columns: {
      fingerprint: 'fingerprint',
      since: ({ createdAt }) => toIso(createdAt),
      '': ({ retiredAt }) => (retiredAt === undefined ? 'signs' : `until ${toIso(retiredAt)}`),
    },
  },
);

const KEYS: readonly CommandRow[] = [
  {
    ...LIST,
    run: async (terminal, said) => {
      if (said.pem !== true) return await LIST.run(terminal, said);
      using client = await openClient(terminal);
      const { keys } = await client.call(method.listEvidenceKeys, {});
      terminal.stdout.write(keys[0]?.publicKeyPem ?? '');
    },
  },
  act('rotate', 'sign with a new key from now on; the old one stays published (administrators)', {
    json: 'the keys as they stand then, one per line',
    run: rotateKey,
  }),
];

const toIso = (at: Timestamp | undefined): string =>
  at === undefined ? '' : timestampDate(at).toISOString();

export function addEvidenceCommand(program: Command, terminal: Terminal): void {
  const evidence = program
    .command('evidence')
    .description('signed packages of records, which others verify without this box');
  addExportCommand(evidence, terminal);
  addVerifyCommand(evidence, terminal);
  addTimestampCommand(evidence, terminal);
  const key = evidence.command('key').description('the keys that sign packages');
  for (const row of KEYS) addRow(key, terminal, row);
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
