/** The rule of a search for a text, for the daemon that searches and the page that follows changes. Pure. */

export interface Searched {
  identifier: string;
  hash: string;
  name: string;
  refId: string;
}

/** Matches a part of the name or the reference, or the beginning of the hash or the identifier, in either case. */
export function matchesText({ identifier, hash, name, refId }: Searched, text: string): boolean {
  const wanted = text.toLowerCase();
  return (
    [name, refId].some((field) => field.toLowerCase().includes(wanted)) ||
    [hash, identifier].some((field) => field.startsWith(wanted))
  );
}
