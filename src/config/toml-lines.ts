/**
 * Finds the line on which a key stands: the TOML parser gives values without positions, and a fault without
 * its line sends the operator searching. Reads only table headers and the left sides of assignments.
 */

const HEADER = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$/;
const ASSIGNMENT =
  /^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=/;

/** Maps each dotted key and table of the text to its line, counted from 1. */
export function findKeyLines(toml: string): Map<string, number> {
  const lines = new Map<string, number>();
  let table = '';
  for (const [index, line] of toml.split('\n').entries()) {
    const header = HEADER.exec(line)?.[1];
    const assigned = ASSIGNMENT.exec(line)?.[1];
    if (header !== undefined) table = normalise(header);
    const key = assigned === undefined ? undefined : [table, normalise(assigned)].filter(Boolean).join('.');
    const name = key ?? (header === undefined ? undefined : table);
    if (name !== undefined && !lines.has(name)) lines.set(name, index + 1);
  }
  return lines;
}

/** The line of the key, or of the nearest table or inline table that holds it. */
export function lineOfKey(lines: ReadonlyMap<string, number>, key: string): number | undefined {
  for (let name = key; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('.')))) {
    const line = lines.get(name);
    if (line !== undefined) return line;
  }
  return undefined;
}

function normalise(dotted: string): string {
  return dotted
    .split('.')
    .map((part) => part.trim().replace(/^(["'])(.*)\1$/, '$2'))
    .join('.');
}
