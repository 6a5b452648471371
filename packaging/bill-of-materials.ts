/** The list of what a release is made of, as CycloneDX 1.5: npm's own, cut down to what really ships. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Bill {
  serialNumber: string;
  metadata: { timestamp: string; component: { name: string } };
  components: { 'bom-ref': string; name: string; version: string }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

export interface BillOrder {
  root: string;
  /** Paths of the packages that ship. */
  packages: readonly string[];
  /** The path that the list is written to. */
  path: string;
  /** The time of the release, seconds since 1970. */
  at: number;
}

/** Asks npm, which needs no network for it. Throws where a shipped package is not on npm's list. */
export async function writeBillOfMaterials({ root, packages, path, at }: BillOrder): Promise<void> {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const printed = execFileSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 64 * 1024 * 1024,
  });
  const bill = JSON.parse(printed) as Bill;
  const shipped = new Set(await Promise.all(packages.map((name) => referenceOf(root, name))));
  const listed = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
  const unlisted = [...shipped].filter((reference) => !listed.has(reference));
  if (unlisted.length > 0) throw new Error(`npm sbom does not list ${unlisted.join(', ')}`);
  const components = bill.components.filter(({ name, version }) => shipped.has(`${name}@${version}`));
  const references = new Set(components.map((component) => component['bom-ref']));
  const whole = { ...bill, components, dependencies: cutDependencies(bill, references) };
  await writeFile(path, `${JSON.stringify(settle(whole, at), null, 2)}\n`);
}

async function referenceOf(root: string, path: string): Promise<string> {
  const text = await readFile(join(root, path, 'package.json'), 'utf8');
  const { name, version } = JSON.parse(text) as { name: string; version: string };
  return `${name}@${version}`;
}

function cutDependencies({ dependencies }: Bill, kept: ReadonlySet<string>): Bill['dependencies'] {
  const isOwn = (reference: string) => reference.startsWith('assay@');
  return dependencies
    .filter(({ ref }) => kept.has(ref) || isOwn(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((name) => kept.has(name)) }));
}

/** npm gives each list a random number, the time of day and the folder's name: the same release has the same ones. */
function settle(bill: Bill, at: number): Bill {
  const hash = createHash('sha256').update(JSON.stringify(bill.components)).digest('hex');
  const variant = ((Number.parseInt(hash.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  const uuid = [
    ...[hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`],
    ...[`${variant}${hash.slice(18, 20)}`, hash.slice(20, 32)],
  ].join('-');
  const { metadata } = bill;
  const timestamp = new Date(at * 1000).toISOString();
  const component = { ...metadata.component, name: 'assay' };
  return { ...bill, serialNumber: `urn:uuid:${uuid}`, metadata: { ...metadata, timestamp, component } };
}
