/** Manifests that do not lie in their files, by the analysis that reads them. */
import type { OuterManifest } from '../../domain/provenance/outer-manifest.ts';
import type { Tables } from '../tables/schema.ts';

type ManifestTables = Pick<Tables, 'outerManifests'>;

export class OuterManifestReader {
  protected readonly tables: ManifestTables;

  constructor(tables: ManifestTables) {
    this.tables = tables;
  }

  has(analysisId: string): boolean {
    return this.tables.outerManifests.has(analysisId);
  }

  /** Undefined if there is none, or a damaged one. */
  of(analysisId: string): OuterManifest | undefined {
    return this.tables.outerManifests.getUnlessDamaged(analysisId);
  }
}

/** Only inside Store.transact. */
export class OuterManifestWriter extends OuterManifestReader {
  put(analysisId: string, manifest: OuterManifest): void {
    this.tables.outerManifests.put(analysisId, manifest);
  }

  remove(analysisId: string): void {
    if (this.has(analysisId)) this.tables.outerManifests.remove(analysisId);
  }

  /** Copies the manifest to an analysis that does the work anew. */
  copy(fromAnalysisId: string, toAnalysisId: string): void {
    const manifest = this.of(fromAnalysisId);
    if (manifest !== undefined) this.put(toAnalysisId, manifest);
  }
}
