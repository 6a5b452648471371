/** The name of a manifest beside its file: `photo.jpg.c2pa`, or `photo.c2pa` if no other medium has that name. */
import { MEDIA_TYPES } from '../media/formats.ts';

const ENDING = '.c2pa';
/** Endings of other files that a camera writes under the same name, which may be signed as well. */
const OTHER_ENDINGS = ['dng', 'cr2', 'cr3', 'nef', 'arw', 'orf', 'raf', 'rw2', 'psd', 'svg', 'pdf'];

export const isSidecarName = (name: string): boolean => name.toLowerCase().endsWith(ENDING);

/** The name that fits no other file. */
export const ownSidecarName = (name: string): string => `${name}${ENDING}`;

/** Null if it would be the same name. */
export function sharedSidecarName(name: string): string | null {
  const stem = stemOf(name);
  return stem === name ? null : `${stem}${ENDING}`;
}

/** Files that the shared name would fit, too: it counts only if none of them is there. */
export function sharersOf(name: string): string[] {
  const stem = stemOf(name);
  const endings = [...MEDIA_TYPES.flatMap(({ extensions }) => extensions), ...OTHER_ENDINGS];
  // As cameras, and programs that capitalise file names, spell them.
  const spelled = (ending: string) => [
    ending,
    ending.toUpperCase(),
    ending.charAt(0).toUpperCase() + ending.slice(1),
  ];
  const names = endings.flatMap((ending) => spelled(ending).map((each) => `${stem}.${each}`));
  return [...new Set(names)].filter((other) => other !== name);
}

/** The sidecar's name of a renamed file. */
export function renamedSidecar(sidecar: string, from: string, to: string): string {
  return sidecar === ownSidecarName(from) ? ownSidecarName(to) : `${stemOf(to)}${ENDING}`;
}

/** Undefined if there is none. `isThere` says whether a plain file of the name is beside it. */
export async function findSidecarName(
  name: string,
  isThere: (other: string) => Promise<boolean>,
): Promise<string | undefined> {
  if (isSidecarName(name)) return undefined;
  const own = ownSidecarName(name);
  if (await isThere(own)) return own;
  const shared = sharedSidecarName(name);
  if (shared === null || !(await isThere(shared))) return undefined;
  for (const other of sharersOf(name)) if (await isThere(other)) return undefined;
  return shared;
}

function stemOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}
