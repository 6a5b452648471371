/** Distinguished names as Node writes them, a part a line: `C=US`, `O=Acme\, Inc.`. */

/** The first part of each kind, with unescaped characters. */
export function nameParts(name: string): Partial<Record<string, string>> {
  const parts = name.split('\n').flatMap((line) => {
    const at = line.indexOf('=');
    return at === -1 ? [] : [[line.slice(0, at), line.slice(at + 1).replaceAll(/\\(.)/g, '$1')] as const];
  });
  // Reversed, so that the first of a kind is set last and wins.
  return Object.fromEntries(parts.reverse());
}
