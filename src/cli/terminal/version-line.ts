/** What `assay version` and `assay --version` print; small, since the second loads nothing else. */
import { VERSION } from '../../domain/version.ts';

export const describeVersion = (): string => `assay ${VERSION} (Node ${process.versions.node})`;
