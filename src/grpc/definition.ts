/** A generated service as grpc-js serves and calls it, for both ends; it knows no method by name. */
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  ScalarType,
  toBinary,
} from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type {
  handleBidiStreamingCall,
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  MethodDefinition,
} from '@grpc/grpc-js';
import { noteSpent } from '../machinery/spent-chunks.ts';

export type Input<M extends DescMethod> = MessageShape<M['input']>;
/** Outgoing messages may be plain objects: they are completed when they are serialised. */
export type OutputInit<M extends DescMethod> = MessageInitShape<M['output']>;

/** What grpc-js needs to know of a service, by the local names of its methods. */
export type Definition<S extends DescService> = {
  readonly [K in keyof S['method']]: MethodDefinition<unknown, unknown>;
};

export type Handler<M extends DescMethod> = M extends { methodKind: 'unary' }
  ? handleUnaryCall<Input<M>, OutputInit<M>>
  : M extends { methodKind: 'client_streaming' }
    ? handleClientStreamingCall<Input<M>, OutputInit<M>>
    : M extends { methodKind: 'server_streaming' }
      ? handleServerStreamingCall<Input<M>, OutputInit<M>>
      : handleBidiStreamingCall<Input<M>, OutputInit<M>>;

export type Handlers<S extends DescService> = { [K in keyof S['method']]: Handler<S['method'][K]> };

export function serviceDefinition<S extends DescService>(service: S): Definition<S> {
  const rows = service.methods.map((method) => [method.localName, methodDefinition(service, method)]);
  return Object.fromEntries(rows);
}

function methodDefinition(service: DescService, method: DescMethod): MethodDefinition<unknown, unknown> {
  return {
    path: `/${service.typeName}/${method.name}`,
    requestStream: method.methodKind === 'client_streaming' || method.methodKind === 'bidi_streaming',
    responseStream: method.methodKind === 'server_streaming' || method.methodKind === 'bidi_streaming',
    requestSerialize: serializer(method.input),
    requestDeserialize: (bytes) => fromBinary(method.input, bytes),
    responseSerialize: serializer(method.output),
    responseDeserialize: (bytes) => fromBinary(method.output, bytes),
    originalName: method.localName,
  };
}

function serializer(schema: DescMessage): (message: unknown) => Buffer {
  const writePiece = pieceWriter(schema);
  return (message) => {
    const piece = writePiece?.(message);
    if (piece !== undefined) return piece;
    // create() leaves a finished message as it is and completes a plain object.
    const bytes = toBinary(schema, create(schema, message as MessageInitShape<DescMessage>));
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
}

/** Writer for a stream that carries a file: its messages hold one of several things, and most hold a piece of the bytes. */
function pieceWriter(schema: DescMessage): ((message: unknown) => Buffer | undefined) | undefined {
  const [payload, ...others] = schema.members;
  if (payload?.kind !== 'oneof' || others.length > 0) return undefined;
  const field = payload.fields.find(({ scalar }) => scalar === ScalarType.BYTES);
  if (field === undefined) return undefined;
  return (message) => {
    const held = (message as Record<string, { case?: string; value?: unknown } | undefined>)[
      payload.localName
    ];
    if (held?.case !== field.localName || !(held.value instanceof Uint8Array)) return undefined;
    const { value } = held;
    const head = new BinaryWriter().tag(field.number, WireType.LengthDelimited).uint32(value.length);
    // The piece here, and grpc-js' copy of it with a head of its own.
    noteSpent(2 * value.length);
    // The general way takes twice the room, zeroed, and copies once more: a sender's time then goes into collecting that.
    return Buffer.concat([head.finish(), value]);
  };
}
