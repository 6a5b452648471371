/** A sign-off as the command line shows it: first its state, then each answer. */
import { personLabel, showText } from '../../domain/shown-text.ts';
import { Label } from '../../grpc/gen/assay/v1/media_pb.ts';
import { type SignOff, type SignOffAnswer, SignOffState } from '../../grpc/gen/assay/v1/sign_off_pb.ts';
import { nameOf } from './enum-word.ts';
import { formatTimestamp } from './timestamp.ts';

/** No line if none was asked for. */
export function describeSignOff(signOff: SignOff | undefined): string[] {
  if (signOff === undefined) return [];
  const { state, askedAt, classification, reason, answers } = signOff;
  const said = `${nameOf(Label, classification)} by ${personOf(signOff)}${quoted(reason)}`;
  const isUnasked = state === SignOffState.OPEN && askedAt === undefined;
  const how = isUnasked ? 'open: the plan demands it, and nobody was asked' : nameOf(SignOffState, state);
  return [`${how} (${said})`, ...answers.map(describeAnswer)];
}

function describeAnswer(answer: SignOffAnswer): string {
  const verb = answer.agrees ? 'agreed' : 'disagreed';
  return `${formatTimestamp(answer.at)} ${personOf(answer)} ${verb}${quoted(answer.reason)}`;
}

function personOf({ byAccountId, byName }: Pick<SignOff, 'byAccountId' | 'byName'>): string {
  return personLabel(byAccountId, showText(byName));
}

const quoted = (reason: string): string => (reason === '' ? '' : `: “${reason}”`);
