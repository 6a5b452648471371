import { Argument, type Command } from 'commander';
import type { Classification } from '../../grpc/gen/assay/v1/classification_pb.ts';
import { ClassificationService } from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { type AssayClient, openClient } from '../daemon/client.ts';
import { CliFailure, EXIT_CODES } from '../terminal/failure.ts';
import { printLine, type Terminal } from '../terminal/terminal.ts';
import { toRecordJson } from '../views/record-view.ts';
import { describeSignOff } from '../views/sign-off-view.ts';

const STEPS = ['ask', 'agree', 'disagree'] as const;

interface SignOffOptions {
  reason?: string;
  json?: true;
}

export function addSignOffCommand(program: Command, terminal: Terminal): void {
  program
    .command('sign-off')
    .description('ask another person to sign off your finding, or answer theirs')
    .argument('<record>', 'identifier of a record')
    .addArgument(
      new Argument('<step>', 'ask for your own finding, agree or disagree for another’s').choices(STEPS),
    )
    .option('--reason <text>', 'why; needed to disagree')
    .option('--json', 'the record as one line of JSON')
    .action((identifier: string, step: (typeof STEPS)[number], options: SignOffOptions) =>
      signOff(terminal, identifier, step, options),
    );
}

async function signOff(
  terminal: Terminal,
  identifier: string,
  step: (typeof STEPS)[number],
  { reason = '', json }: SignOffOptions,
): Promise<void> {
  if (step === 'ask' && reason !== '') {
    throw new CliFailure('--reason is for agree and disagree', EXIT_CODES.usage);
  }
  using client = await openClient(terminal);
  const { method } = ClassificationService;
  const { classification } =
    step === 'ask'
      ? await client.call(method.askSignOff, { identifier })
      : await answer(client, identifier, step === 'agree', reason);
  if (classification === undefined) throw new CliFailure('no such record', EXIT_CODES.someFailed);
  const lines = json === true ? [JSON.stringify(toRecordJson(classification))] : describe(classification);
  for (const line of lines) printLine(terminal, line);
}

/** The answer is about the present finding; the reply says which that was. */
async function answer(
  client: AssayClient,
  identifier: string,
  agrees: boolean,
  reason: string,
): Promise<{ classification?: Classification | undefined }> {
  const { getClassification, answerSignOff } = ClassificationService.method;
  const { classification } = await client.call(getClassification, { identifier });
  const findingAt = classification?.signOff?.findingAt;
  const about = findingAt === undefined ? {} : { findingAt };
  return await client.call(answerSignOff, { identifier, agrees, reason, ...about });
}

function describe({ identifier, signOff: given }: Classification): string[] {
  return describeSignOff(given).map((line, index) => (index === 0 ? `${identifier}: ${line}` : line));
}
