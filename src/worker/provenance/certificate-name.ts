/** Distinguished names as Node writes them, a part a line: `C=US`, `O=Acme\, Inc.`. */

/** The first of each kind; characters that Node escapes are as in the certificate. */
export function nameParts(name: string): Partial<Record<string, string>> {
  const parts: Partial<Record<string, string>> = {};
  for (const line of name.split('\n')) {
    const at = line.indexOf('=');
    if (at === -1) continue;
    parts[line.slice(0, at)] ??= line.slice(at + 1).replaceAll(/\\(.)/g, '$1');
  }
  return parts;
}
