/** Another person's word on a finding, as the command line says it: first how it stands, then each answer. */
import { Label } from '../../grpc/gen/assay/v1/media_pb.ts';
import { type SignOff, type SignOffAnswer, SignOffState } from '../../grpc/gen/assay/v1/sign_off_pb.ts';
import { nameOf } from './enum-word.ts';
import { formatTimestamp } from './timestamp.ts';

/** No line if none was asked for. */
export function describeSignOff(signOff: SignOff | undefined): string[] {
  if (signOff === undefined) return [];
  const { state, askedAt, classification, byAccountId, reason, answers } = signOff;
  const said = `${nameOf(Label, classification)} by account ${byAccountId}${quoted(reason)}`;
  const isUnasked = state === SignOffState.OPEN && askedAt === undefined;
  const how = isUnasked ? 'open: the plan demands it, and nobody was asked' : nameOf(SignOffState, state);
  return [`${how} (${said})`, ...answers.map(describeAnswer)];
}

function describeAnswer({ agrees, at, byAccountId, reason }: SignOffAnswer): string {
  const verb = agrees ? 'agreed' : 'disagreed';
  return `${formatTimestamp(at)} account ${byAccountId} ${verb}${quoted(reason)}`;
}

function quoted(reason: string): string {
  return reason === '' ? '' : `: “${reason}”`;
}
