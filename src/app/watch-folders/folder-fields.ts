/** What a caller says of a folder to watch, parsed once for all facades. */

import { DONE_ACTIONS, type DoneAction } from '../../domain/automation/watch-folder.ts';
import { badField } from '../../domain/errors.ts';
import { rowsOf, toSnakeCase } from '../../domain/field.ts';
import { MEDIA_KINDS } from '../../domain/media/media.ts';
import { ANALYSIS_OPTIONS } from '../../domain/records/analysis-options.ts';
import { parseEach } from '../check-each.ts';
import { parseChoice, parseTextList, type RawFields, show } from '../field-parsers.ts';
import { parseSubmission } from '../submissions/input.ts';
import { parsePlace } from './watched-place.ts';

export interface ParsedFolder {
  path: string;
  done: DoneAction;
  options: Record<string, string>;
}

/** Fields: `path`, `done`, and `options` as a list of `name=value`. Reports all faults at once. */
export function parseFolder(roots: readonly string[], fields: RawFields): ParsedFolder {
  return parseEach<ParsedFolder>({
    path: () => parsePlace(roots, fields.path),
    done: () => parseChoice(fields, 'done', DONE_ACTIONS) ?? 'leave',
    options: () => parseOptions(fields),
  });
}

/** A request identifier is the folder's own to give, and results are written to the folder. */
const ALLOWED: readonly string[] = [
  ...rowsOf(ANALYSIS_OPTIONS).map(([name]) => toSnakeCase(name)),
  ...['priority', 'ref_id', 'no_cache', 'desk_id'],
];

function parseOptions(fields: RawFields): Record<string, string> {
  const pairs = (parseTextList(fields, 'options') ?? []).map((pair) => {
    const [, name = '', value = ''] = /^([a-z0-9_]+)=(.*)$/s.exec(pair) ?? [];
    if (!ALLOWED.includes(name)) {
      throw badField('options', `expected NAME=VALUE with one of ${ALLOWED.join(', ')}, found ${show(pair)}`);
    }
    return [name, value] as const;
  });
  const options = Object.fromEntries(pairs);
  // What comes in decides the kind: the options must be right for all of them.
  for (const kind of MEDIA_KINDS) parseSubmission(kind, options);
  return options;
}
