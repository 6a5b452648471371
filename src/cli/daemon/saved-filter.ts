/** Reads a saved filter of the account as the options that filter alike. */
import type { MediaKind } from '../../domain/media/media.ts';
import type { Outcome } from '../../domain/records/outcome.ts';
import { fromTimestamp } from '../../domain/time.ts';
import { Outcome as ProtoOutcome } from '../../grpc/gen/assay/v1/classification_pb.ts';
import {
  ClassificationService,
  type SavedFilter,
} from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { MediaKind as ProtoKind } from '../../grpc/gen/assay/v1/media_pb.ts';
import { CliFailure, EXIT_CODES } from '../terminal/failure.ts';
import { wordOf } from '../views/enum-word.ts';
import type { AssayClient } from './client.ts';

export interface NarrowingOptions {
  kind?: MediaKind;
  outcome?: Outcome;
  search?: string;
  text?: string;
  since?: number;
  until?: number;
  waitsForMe?: true;
  desk?: bigint;
}

export async function readSavedFilter(client: AssayClient, name: string): Promise<NarrowingOptions> {
  const { filters } = await client.call(ClassificationService.method.listSavedFilters, {});
  const found = filters.find((filter) => filter.name === name);
  if (found !== undefined) return toOptions(found);
  const known = filters.map((filter) => filter.name).join(', ') || 'none';
  throw new CliFailure(`no saved filter ${JSON.stringify(name)}; saved: ${known}`, EXIT_CODES.usage);
}

function toOptions({
  kind,
  outcome,
  search,
  text,
  since,
  until,
  deskId,
  waitsForMe,
}: SavedFilter): NarrowingOptions {
  return {
    ...(kind === ProtoKind.UNSPECIFIED ? {} : { kind: wordOf(ProtoKind, kind) as MediaKind }),
    ...(outcome === ProtoOutcome.UNSPECIFIED ? {} : { outcome: wordOf(ProtoOutcome, outcome) as Outcome }),
    search,
    text,
    ...(since === undefined ? {} : { since: fromTimestamp(since) }),
    ...(until === undefined ? {} : { until: fromTimestamp(until) }),
    ...(deskId === undefined ? {} : { desk: deskId }),
    ...(waitsForMe ? { waitsForMe } : {}),
  };
}
