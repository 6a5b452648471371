/** What `assay version` and `assay --version` print; small, since the second loads nothing else. */
import { VERSION } from '../../domain/version.ts';

export function describeVersion(): string {
  return `assay ${VERSION} (Node ${process.versions.node})`;
}
