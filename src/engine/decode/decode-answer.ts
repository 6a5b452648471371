/** Parses a decode child's messages: it has read hostile bytes, so a wrong shape or path ends it. */
import { z } from 'zod';
import { PROGRESS_STEPS } from '../../domain/records/progress-steps.ts';
import { MEDIA_FAULTS } from '../../worker/protocol/decode-protocol.ts';
import {
  type Answered,
  DECODE_ANSWERS,
  type DecodeAnswer,
  decodedFrame,
  patchedPicture,
} from '../../worker/protocol/decoded-media.ts';

const id = z.int();
const sentence = z.string().max(2000);

const count = z.int().min(0);

const response = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({
    type: z.literal('progress'),
    id,
    step: z.enum(PROGRESS_STEPS),
    done: count,
    total: count,
  }),
  z.strictObject({ type: z.literal('patched'), id, picture: patchedPicture }),
  z.strictObject({ type: z.literal('frame'), id, frame: decodedFrame }),
  z.strictObject({ type: z.literal('answered'), id, answer: z.unknown() }),
  z.strictObject({ type: z.literal('failed'), id, fault: z.enum(MEDIA_FAULTS), message: sentence }),
  z.strictObject({ type: z.literal('broken'), id, message: sentence }),
]);

/** A message whose answer is still to be parsed as that to the request. */
export type DecodeMessage = z.infer<typeof response>;

/** Null for a message out of turn or shape. */
export function parseDecodeMessage(value: unknown): DecodeMessage | null {
  return response.safeParse(value).data ?? null;
}

const ANSWERS: { readonly [Type in Answered]: z.ZodType<DecodeAnswer<Type>> } = DECODE_ANSWERS;

/** Null for an answer to something else. */
export function parseDecodeAnswer<Type extends Answered>(
  asked: Type,
  answer: unknown,
): DecodeAnswer<Type> | null {
  return ANSWERS[asked].safeParse(answer).data ?? null;
}
