/**
 * A proto file as blocks, so that a printer can bring single fields up to date and leave alone what it does not know. It reads
 * the layout that `buf format` leaves; it is no parser of the language.
 */

/** A field, or a line or group of lines that is none (a blank line, a oneof, an enum's value, an rpc), with what stands above it. */
export interface Item {
  comment: string[];
  lines: string[];
  field?: { label: string; type: string; name: string; number: number };
}

export interface Block {
  kind: 'message' | 'enum' | 'service';
  name: string;
  comment: string[];
  items: Item[];
}

export interface ProtoFile {
  /** The path in imports. */
  path: string;
  comment: string[];
  imports: string[];
  blocks: Block[];
}

const FIELD = /^ {2}(optional |repeated )?([\w.]+|map<.+>) (\w+) = (\d+);$/;
const HEAD = /^(message|enum|service) (\w+) \{(\})?$/;
const LINE_CHARACTERS_MAX = 120;

export function parseProto(path: string, text: string): ProtoFile {
  const file: ProtoFile = { path, comment: [], imports: [], blocks: [] };
  let comment: string[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const [, kind, name, isEmpty] = HEAD.exec(line) ?? [];
    const [, imported] = /^import "(.+)";$/.exec(line) ?? [];
    if (line.startsWith('//')) comment.push(line);
    else if (line.startsWith('syntax')) file.comment = comment.splice(0);
    else if (imported !== undefined) file.imports.push(imported);
    if (kind === undefined || name === undefined) continue;
    const end = isEmpty === undefined ? lines.indexOf('}', at) : at;
    const items = readItems(lines.slice(at + 1, end));
    file.blocks.push({ kind: kind as Block['kind'], name, comment, items });
    comment = [];
    at = end;
  }
  return file;
}

function readItems(lines: readonly string[]): Item[] {
  const items: Item[] = [];
  let comment: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.startsWith('  //')) {
      comment.push(line);
      continue;
    }
    const end = /^ {2}\w.*\{$/.test(line) ? lines.indexOf('  }', at) : at;
    const [, label = '', type, name, number] = FIELD.exec(line) ?? [];
    const item: Item = { comment, lines: lines.slice(at, end + 1) };
    if (type !== undefined && name !== undefined)
      item.field = { label: label.trim(), type, name, number: Number(number) };
    items.push(item);
    comment = [];
    at = end;
  }
  return items;
}

export function printProto(
  { path, comment, blocks }: ProtoFile,
  fileOf: ReadonlyMap<string, string>,
): string {
  const body = blocks.map(printBlock);
  const named = new Set(
    body
      .join('\n')
      .replace(/\/\/.*/g, '')
      .match(/[\w.]+/g),
  );
  const imports = [...named]
    .map((name) => fileOf.get(name))
    .filter((one) => one !== undefined && one !== path);
  const heads = [...new Set(imports)].sort().map((one) => `import "${one}";`);
  return [
    [...comment, 'syntax = "proto3";'].join('\n'),
    'package assay.v1;',
    ...(heads.length === 0 ? [] : [heads.join('\n')]),
    ...body,
  ]
    .join('\n\n')
    .concat('\n');
}

function printBlock({ kind, name, comment, items }: Block): string {
  const lines = items.flatMap((item) => [...item.comment, ...linesOf(item)]);
  const head = `${kind} ${name} {`;
  return [...comment, ...(lines.length === 0 ? [`${head}}`] : [head, ...lines, '}'])].join('\n');
}

function linesOf({ lines, field }: Item): string[] {
  if (field === undefined) return lines;
  const { label, type, name, number } = field;
  return [`  ${label === '' ? '' : `${label} `}${type} ${name} = ${number};`];
}

/** All numbers of a message that are taken: of fields, of fields in a oneof, and those that are reserved. */
export function numbersOf({ items }: Block): number[] {
  const text = items.flatMap(linesOf).join('\n');
  const given = [...text.matchAll(/= (\d+);/g)].map(([, number]) => Number(number));
  const reserved = [...text.matchAll(/reserved ([\d, to]+);/g)].flatMap(
    ([, list = '']) => list.match(/\d+/g) ?? [],
  );
  return [...given, ...reserved.map(Number)];
}

/** A sentence as comment lines. */
export function commentOf(sentence: string, indent: string): string[] {
  const lines: string[] = [];
  let line = `${indent}//`;
  for (const word of sentence.split(/\s+/)) {
    if (line.length + 1 + word.length > LINE_CHARACTERS_MAX) {
      lines.push(line);
      line = `${indent}//`;
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
