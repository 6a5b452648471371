/** A schema's fault in one sentence, for the person who corrects the file. */
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

interface Place {
  path: PropertyKey[];
  message: string;
}

/** `path.to.field: what is wrong there`; the first of several faults. */
export function describeFault({ issues }: z.ZodError): string {
  const [issue] = issues;
  if (issue === undefined) return 'no fault is known';
  const { path, message } = placeOf(issue);
  return `${path.join('.')}: ${message}`;
}

/** With several allowed forms `Invalid input` says nothing: the intended form fails at the greatest depth. */
function placeOf(issue: Issue): Place {
  if (issue.code !== 'invalid_union') return issue;
  const tried = issue.errors.flatMap(([first]) => (first === undefined ? [] : [placeOf(first)]));
  const [deepest] = tried.toSorted((one, other) => other.path.length - one.path.length);
  if (deepest === undefined) return issue;
  return { path: [...issue.path, ...deepest.path], message: deepest.message };
}
