/** An earlier record of the same picture as the command line shows it. */
import { LikenessRelation, Outcome, type SeenBefore } from '../../grpc/gen/assay/v1/classification_pb.ts';
import { Label } from '../../grpc/gen/assay/v1/media_pb.ts';
import { nameOf } from './record-view.ts';

export function describeEarlier({
  identifier,
  name,
  relation,
  distance,
  outcome,
  finding,
  foundAt,
}: SeenBefore): string {
  const how = nameOf(LikenessRelation, relation);
  const bits = relation === LikenessRelation.SAME_FILE ? '' : ` (${distance} of 256 bits differ)`;
  const person = `found ${nameOf(Label, finding)} by a person on ${dayOf(foundAt?.seconds)}`;
  const found = finding === Label.UNSPECIFIED ? nameOf(Outcome, outcome) : person;
  return `${how}${bits} of ${name} ${identifier}: ${found}`;
}

function dayOf(seconds: bigint | undefined): string {
  return new Date(Number(seconds ?? 0n) * 1000).toISOString().slice(0, 10);
}
