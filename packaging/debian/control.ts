/** The package's own papers: what dpkg reads of it, and what Debian's policy wants to lie beside a program. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReleaseIdentity } from '../stage.ts';

/**
 * What is not on every box, and nothing else. The libraries are those that `dpkg-shlibdeps` finds (test/heavy/package); bubblewrap
 * is only recommended, since Assay runs without it behind weaker walls, and a box without a network could not fetch it.
 */
const RELATIONS = [
  [
    'Depends',
    'libc6 (>= 2.34), libgcc-s1 (>= 4.3), libstdc++6 (>= 11), debconf (>= 0.5) | debconf-2.0, passwd',
  ],
  ['Recommends', 'bubblewrap'],
  ['Suggests', 'nats-server, openssl'],
] as const;

const DESCRIPTION = `Description: tells human-made images, videos and speech from artificial ones
 Assay is an appliance for newsrooms: files go in by page, command line, REST,
 gRPC, GraphQL or watched folder, and a durable record with a verdict and its
 doubt comes out. Models and the runtime are part of the package; nothing
 leaves the box, and nothing is fetched.
`;

/** A `~` sorts before the version without it, as npm's hyphen does. A build that differs from its commit sorts before the release, too. */
export function debianVersion({ version, isDirty }: Pick<ReleaseIdentity, 'version' | 'isDirty'>): string {
  return `${version.replace('-', '~')}${isDirty ? '~dirty' : ''}`;
}

export interface ControlOrder {
  identity: ReleaseIdentity;
  /** Name and address, as `Name <mail@example.org>`. */
  maintainer: string;
  /** Size of everything that is installed. */
  kibibytes: number;
}

export function controlFile({ identity, maintainer, kibibytes }: ControlOrder): string {
  return [
    'Package: assay',
    `Version: ${debianVersion(identity)}`,
    'Section: utils',
    'Priority: optional',
    'Architecture: amd64',
    `Maintainer: ${maintainer}`,
    `Installed-Size: ${kibibytes}`,
    ...RELATIONS.map(([name, value]) => `${name}: ${value}`),
    DESCRIPTION,
  ].join('\n');
}

/** One entry; what changed for those who run Assay stands in its own CHANGELOG.md. */
export function changelog(identity: ReleaseIdentity, maintainer: string): string {
  const at = new Date(identity.at * 1000).toUTCString().replace('GMT', '+0000');
  return `assay (${debianVersion(identity)}) stable; urgency=medium

  * What changed stands in /opt/assay/CHANGELOG.md.
  * Commit ${identity.commit}.

 -- ${maintainer}  ${at}
`;
}

interface Component {
  name: string;
  version: string;
  licenses?: { license?: { id?: string; name?: string }; expression?: string }[];
}

/** The licences of all parts, from the bill of materials; their texts lie beside them. */
export async function copyright(release: string): Promise<string> {
  const bill = JSON.parse(await readFile(join(release, 'sbom.cdx.json'), 'utf8')) as {
    components: Component[];
  };
  const lines = bill.components.map(
    (component) => `  ${component.name} ${component.version}: ${licenceOf(component)}`,
  );
  return `Assay is Copyright (c) 2026 the authors of Assay.

Licensed under the Apache License, Version 2.0. On Debian systems its text is in
/usr/share/common-licenses/Apache-2.0.

The models under /opt/assay/models come with CARD.md and LICENCE.md, which name
their authors and licences; the trust lists with /opt/assay/trust/README.md.

Packages of others under /opt/assay/node_modules; the copyright notice and the
text of each licence lie in the package's own folder:

${lines.sort().join('\n')}
`;
}

function licenceOf({ licenses = [] }: Component): string {
  const names = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? '');
  return names.filter((name) => name !== '').join(', ') || 'see its package.json';
}
