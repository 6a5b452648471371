import type { Command } from 'commander';
import { type AssessmentReason, ReasonSide } from '../../grpc/gen/assay/v1/assessment_pb.ts';
import {
  type Classification,
  LikenessRelation,
  Medium,
  Outcome,
  type SeenBefore,
  Status,
} from '../../grpc/gen/assay/v1/classification_pb.ts';
import { ClassificationService } from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { Label } from '../../grpc/gen/assay/v1/media_pb.ts';
import { openClient } from '../daemon/client.ts';
import { saveHeatmaps } from '../daemon/heatmap-file.ts';
import { CliFailure, EXIT_CODES } from '../terminal/failure.ts';
import { printLine, printNote, type Terminal } from '../terminal/terminal.ts';
import { formatColumns } from '../views/columns.ts';
import { nameOf } from '../views/enum-word.ts';
import { describeFacts, describeMarks, fromMarks } from '../views/mark-view.ts';
import { describeProvenance } from '../views/provenance-view.ts';
import {
  describeMoment,
  describeParts,
  describeRecord,
  momentOf,
  toRecordJson,
} from '../views/record-view.ts';
import { describeSignOff } from '../views/sign-off-view.ts';
import { formatTimestamp } from '../views/timestamp.ts';

export function addGetCommand(program: Command, terminal: Terminal): void {
  program
    .command('get')
    .description('show records')
    .argument('<identifiers...>', 'identifiers of records')
    .option('--json', 'one record per line')
    .option('--heatmap-dir <dir>', 'save their maps there as NAME.heatmap.png, NAME.tampering.png, …')
    .action((identifiers: string[], options: { json?: true; heatmapDir?: string }) =>
      getRecords(terminal, identifiers, options),
    );
}

async function getRecords(
  terminal: Terminal,
  identifiers: readonly string[],
  options: { json?: true; heatmapDir?: string },
): Promise<void> {
  using client = await openClient(terminal);
  for (const identifier of identifiers) {
    try {
      const answer = await client.call(ClassificationService.method.getClassification, { identifier });
      const record = answer.classification;
      if (record === undefined) continue;
      printLine(
        terminal,
        options.json === true ? JSON.stringify(toRecordJson(record)) : describeFully(record),
      );
      if (options.heatmapDir !== undefined) {
        const paths = await saveHeatmaps(client, record, options.heatmapDir);
        for (const path of paths) printNote(terminal, `heatmap: ${path}`);
      }
    } catch (error) {
      if (!(error instanceof CliFailure) || error.isFatal) throw error;
      printNote(terminal, `${identifier}: ${error.message}`);
      terminal.setExitCode(EXIT_CODES.someFailed);
    }
  }
}

function describeFully(record: Classification): string {
  const { length, answer, chance } = describeRecord(record);
  const { sentence, beside, documented } = record.headline ?? {};
  const parts = describeParts(record).map((cells) => ['', cells.join('  ')]);
  const moment = momentOf(record);
  const reasons = record.assessment?.reasons ?? [];
  return `${formatColumns([
    ['identifier', record.identifier],
    ['name', record.name],
    ['hash', record.hash],
    ['created', formatTimestamp(record.createdAt)],
    ...(length === '' ? [] : [['length', length]]),
    ['answer', record.status === Status.DONE ? (sentence?.en ?? '') : answer],
    ...(beside === undefined ? [] : [['', beside.en]]),
    ...(chance === '' ? [] : [['by the models', `${chance} chance of AI`]]),
    ...describeSignOff(record.signOff).map((line, index) => [index === 0 ? 'sign-off' : '', line]),
    ...linesOf('why', reasons, (side) => side !== ReasonSide.NONE),
    ...linesOf('also noted', reasons, (side) => side === ReasonSide.NONE),
    ...(documented === undefined ? [] : [['documented', documented.en]]),
    ...record.seenBefore.map((earlier) => ['seen before', describeEarlier(earlier)]),
    ...record.seenAgain.map((later) => ['seen again', describeEarlier(later)]),
    ...describeProvenance(record.provenance),
    ...describeFacts(record.fileFacts).map((cells, index) => [
      index === 0 ? 'the file says' : '',
      cells.join('  '),
    ]),
    ...describeMarks(fromMarks(record.marks?.values ?? []))
      .filter(([, state]) => state !== 'absent')
      .map((cells, index) => [index === 0 ? 'marks' : '', cells.join('  ')]),
    ...(moment === null ? [] : [['most suspicious', describeMoment(moment)]]),
    ...parts,
    ...describePicture(record),
  ])}\n`;
}

function describePicture({ media, hasHeatmap }: Classification): string[][] {
  if (media.case !== 'image') return [];
  const { medium } = media.value;
  const seen = medium === Medium.UNSPECIFIED ? [] : [['medium', nameOf(Medium, medium)]];
  return [...seen, ['heatmap', hasHeatmap ? 'yes' : 'no']];
}

function linesOf(
  label: string,
  reasons: readonly AssessmentReason[],
  isOne: (side: ReasonSide) => boolean,
): string[][] {
  return reasons
    .filter(({ side }) => isOne(side))
    .map(({ sentence }, index) => [index === 0 ? label : '', sentence]);
}

function describeEarlier({
  identifier,
  name,
  relation,
  distance,
  outcome,
  finding,
  foundAt,
}: SeenBefore): string {
  const how = nameOf(LikenessRelation, relation);
  const bits = relation === LikenessRelation.SAME_FILE ? '' : ` (${distance} of 256 bits differ)`;
  const person = `found ${nameOf(Label, finding)} by a person on ${dayOf(foundAt?.seconds)}`;
  const found = finding === Label.UNSPECIFIED ? nameOf(Outcome, outcome) : person;
  return `${how}${bits} of ${name} ${identifier}: ${found}`;
}

function dayOf(seconds: bigint | undefined): string {
  return new Date(Number(seconds ?? 0n) * 1000).toISOString().slice(0, 10);
}
