/** Files as they come in anywhere on the page: sheets apart, manifests with their files, sent at once unless the plan charges for them. */
import { READ_OWN_TERMS, type ReadOwnTermsAnswer } from '../gen/documents.ts';
import { ask } from '../parts/api.ts';
import { Cell } from '../state/cell.ts';
import { isSheet, kindOfAddress } from './sheet-rows.ts';
import { OPTION_NAMES, submission } from './submission.ts';
import { addUploads, type SubmitOptions } from './uploads.ts';

type Terms = ReadOwnTermsAnswer['viewer']['plan'];

/** Dropped files that wait until the reader has seen their price. */
export interface Offer {
  files: readonly NamedFile[];
  terms: Terms;
}

export const offer = new Cell<Offer | null>(null);
/** A sheet of addresses; the page for submissions shows it. */
export const sheet = new Cell<File | null>(null);

export async function takeFiles(given: readonly File[]): Promise<void> {
  const found = given.find(isSheet);
  if (found !== undefined) sheet.set(found);
  const files = withManifests(given.filter((file) => !isSheet(file)));
  if (files.length === 0) return;
  const terms = (await ask(READ_OWN_TERMS, {})).viewer.plan;
  const added = { files: [...(offer.get()?.files ?? []), ...files], terms };
  if (creditsOf(added, submission.get()) > 0) offer.set(added);
  else sendFiles(files);
}

export function sendFiles(files: readonly NamedFile[]): void {
  const named = files.map(({ file, manifest }) => ({ file, manifest, name: file.name }));
  addUploads(named, submission.get());
}

/** The price is estimated by the files' endings; the appliance looks at their content. */
export function creditsOf({ files, terms }: Offer, { options }: SubmitOptions): number {
  const allowed = terms.optionCredits.filter(({ option }) => terms.options.includes(option));
  const extras = allowed.filter(({ option }) => options[OPTION_NAMES.get(option) ?? 'frames'] === true);
  const extra = extras.reduce((sum, { credits }) => sum + credits, 0);
  return files.reduce((sum, { file }) => {
    const kind = terms.kinds.find((one) => one.kind === kindOfAddress(file.name));
    return sum + (kind?.credits ?? 0) + extra;
  }, 0);
}

/** Files with the C2PA manifests that lie beside them: `photo.c2pa` or `photo.jpg.c2pa` beside `photo.jpg`. */

interface NamedFile {
  file: File;
  /** A manifest beside it; null if none was chosen with it. */
  manifest: File | null;
}

const ENDING = /\.c2pa$/i;

/** A manifest whose file is not among them stays a file of its own: the appliance says what it makes of it. */
export function withManifests(files: readonly File[]): NamedFile[] {
  const manifests = new Map(
    files
      .filter(({ name }) => ENDING.test(name))
      .map((file) => [file.name.replace(ENDING, '').toLowerCase(), file]),
  );
  const taken = new Set<File>();
  const named = files.map((file): NamedFile => {
    if (ENDING.test(file.name)) return { file, manifest: null };
    const whole = file.name.toLowerCase();
    const manifest = manifests.get(whole) ?? manifests.get(whole.replace(/\.[^.]+$/, '')) ?? null;
    if (manifest !== null) taken.add(manifest);
    return { file, manifest };
  });
  return named.filter(({ file }) => !taken.has(file));
}
