/** A record by the beginning of its identifier, in tables of other things. */
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { resultPath } from './paths.ts';

export function RecordLink({ identifier }: { identifier: string }): JSX.Element {
  return (
    <Link href={resultPath(identifier)}>
      <code>{identifier.slice(0, 12)}</code>
    </Link>
  );
}
