/** The supported platform; on any other a native part would fail later with an unhelpful error. */

import { OperatorFault } from '../domain/operator-fault.ts';

const GLIBC_MIN = [2, 34] as const;

/** Throws on anything but Linux x64 with glibc ≥ 2.34: c2pa-node ships no other binary. */
export function assertPlatform(): void {
  const { platform, arch } = process;
  const glibc = glibcVersion();
  const [major = 0, minor = 0] = (glibc ?? '0.0').split('.').map(Number);
  const isNewEnough = major > GLIBC_MIN[0] || (major === GLIBC_MIN[0] && minor >= GLIBC_MIN[1]);
  if (platform === 'linux' && arch === 'x64' && isNewEnough) return;
  throw new OperatorFault(
    `Assay runs on Linux x64 with glibc ${GLIBC_MIN.join('.')} or newer; found ${platform} ${arch}, glibc ${glibc ?? 'none'}`,
  );
}

function glibcVersion(): string | undefined {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime;
}
