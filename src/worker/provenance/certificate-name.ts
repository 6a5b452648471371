/** Distinguished names as Node writes them, a part a line: `C=US`, `O=Acme\, Inc.`. */

/** The first of each kind; characters that Node escapes are as in the certificate. */
export function nameParts(name: string): Partial<Record<string, string>> {
  const parts = name.split('\n').flatMap((line) => {
    const at = line.indexOf('=');
    return at === -1 ? [] : [[line.slice(0, at), line.slice(at + 1).replaceAll(/\\(.)/g, '$1')] as const];
  });
  // The first of a kind is set last.
  return Object.fromEntries(parts.reverse());
}
