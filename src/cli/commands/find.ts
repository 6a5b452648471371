import type { MessageShape } from '@bufbuild/protobuf';
import { toJson } from '@bufbuild/protobuf';
import type { Command } from 'commander';
import { counted, showText } from '../../domain/shown-text.ts';
import { Outcome } from '../../grpc/gen/assay/v1/classification_pb.ts';
import { Label } from '../../grpc/gen/assay/v1/media_pb.ts';
import {
  type FoundPicture,
  LikenessDegree,
  type PictureSearch,
  PictureSearchSchema,
  SearchService,
} from '../../grpc/gen/assay/v1/search_service_pb.ts';
import { type AssayClient, openClient } from '../daemon/client.ts';
import { listMediaSources } from '../daemon/media-files.ts';
import { sendFile } from '../daemon/send-file.ts';
import { CliFailure, EXIT_CODES } from '../terminal/failure.ts';
import { printLine, printNote, type Terminal } from '../terminal/terminal.ts';
import { formatColumns } from '../views/columns.ts';
import { nameOf } from '../views/enum-word.ts';

interface FindOptions {
  json?: true;
  record?: true;
}

export function addFindCommand(program: Command, terminal: Terminal): void {
  program
    .command('find')
    .description(
      'find records that look like a picture or share a part with it; exits with 1 if there is none',
    )
    .argument('<pictures...>', 'files, folders, or - for standard input; with --record identifiers')
    .option('--record', 'search with what is kept: identifiers of records or frames')
    .option('--json', 'one line of JSON per picture')
    .action((pictures: string[], options: FindOptions) => findAll(terminal, pictures, options));
}

async function findAll(terminal: Terminal, pictures: readonly string[], options: FindOptions): Promise<void> {
  using client = await openClient(terminal);
  let isAnyFound = false;
  for await (const { name, find } of searchesOf(terminal, client, pictures, options)) {
    try {
      const { search } = await find();
      isAnyFound ||= (search?.found.length ?? 0) > 0;
      if (search !== undefined) printSearch(terminal, name, search, options);
    } catch (error) {
      if (!(error instanceof CliFailure) || error.isFatal) throw error;
      terminal.setExitCode(EXIT_CODES.someFailed);
      if (options.json === true) printLine(terminal, JSON.stringify({ picture: name, error: error.message }));
      else printNote(terminal, `${name}: ${error.message}`);
    }
  }
  if (!isAnyFound) terminal.setExitCode(EXIT_CODES.someFailed);
}

interface Search {
  name: string;
  find: () => Promise<{ search?: PictureSearch | undefined }>;
}

async function* searchesOf(
  terminal: Terminal,
  client: AssayClient,
  pictures: readonly string[],
  { record }: FindOptions,
): AsyncGenerator<Search> {
  const { findByPicture, findByRecord } = SearchService.method;
  if (record === true) {
    for (const identifier of pictures) {
      yield { name: showText(identifier), find: () => client.call(findByRecord, { identifier }) };
    }
    return;
  }
  const counts = { skipped: 0 };
  for await (const source of listMediaSources(pictures, { stdinName: 'stdin', counts })) {
    const name = showText(source.type === 'file' ? source.path : source.name);
    yield { name, find: () => sendFile(terminal, client, source, { method: findByPicture, header: {} }) };
  }
  if (counts.skipped > 0) printNote(terminal, `${counts.skipped} other files in the folders were skipped`);
}

function printSearch(
  terminal: Terminal,
  name: string,
  search: MessageShape<typeof PictureSearchSchema>,
  { json }: FindOptions,
): void {
  if (json === true) {
    printLine(terminal, JSON.stringify({ picture: name, ...Object(toJson(PictureSearchSchema, search)) }));
    return;
  }
  const { found, searched, withoutParts } = search;
  const older = withoutParts === 0 ? '' : `, ${withoutParts} of them only as a whole`;
  printLine(
    terminal,
    `${name}: ${found.length} found among ${counted(searched, 'picture or frame', 'pictures and frames')}${older}`,
  );
  if (found.length > 0) printLine(terminal, `${formatColumns(found.map(describeFound))}\n`);
}

function describeFound(found: FoundPicture): string[] {
  const { degree, isMirrored, distance, places, timeSeconds, finding, outcome, identifier, name } = found;
  const how = nameOf(LikenessDegree, degree).replace('_', ' ');
  const exactness =
    degree === LikenessDegree.SAME_PICTURE
      ? `${distance ?? 0} of 256 bits differ`
      : `${places ?? 0} places agree`;
  const person =
    finding === Label.UNSPECIFIED ? nameOf(Outcome, outcome) : `${nameOf(Label, finding)} by a person`;
  const at = timeSeconds === undefined ? '' : `at ${timeSeconds.toFixed(1)} s`;
  return ['', how, isMirrored ? 'mirrored' : '', exactness, person, identifier, showText(name), at];
}
