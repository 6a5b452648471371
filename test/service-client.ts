/** A client of one gRPC service, with its methods as the service names them. */
import type { DescMethod, DescService, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import {
  type CallOptions,
  type ChannelCredentials,
  type ChannelOptions,
  type Client,
  type ClientDuplexStream,
  type ClientReadableStream,
  type ClientUnaryCall,
  type ClientWritableStream,
  type Metadata,
  makeGenericClientConstructor,
  type requestCallback,
} from '@grpc/grpc-js';
import { serviceDefinition } from '../src/grpc/definition.ts';

type Output<M extends DescMethod> = MessageShape<M['output']>;
/** Outgoing messages may be plain objects: they are completed when they are serialised. */
type InputInit<M extends DescMethod> = MessageInitShape<M['input']>;

type UnaryCall<M extends DescMethod> = (
  request: InputInit<M>,
  metadata: Metadata,
  options: CallOptions,
  callback: requestCallback<Output<M>>,
) => ClientUnaryCall;

type UploadCall<M extends DescMethod> = (
  metadata: Metadata,
  options: CallOptions,
  callback: requestCallback<Output<M>>,
) => ClientWritableStream<InputInit<M>>;

type DownloadCall<M extends DescMethod> = (
  request: InputInit<M>,
  metadata: Metadata,
  options?: CallOptions,
) => ClientReadableStream<Output<M>>;

type DuplexCall<M extends DescMethod> = (
  metadata: Metadata,
  options?: CallOptions,
) => ClientDuplexStream<InputInit<M>, Output<M>>;

type Call<M extends DescMethod> = M extends { methodKind: 'unary' }
  ? UnaryCall<M>
  : M extends { methodKind: 'client_streaming' }
    ? UploadCall<M>
    : M extends { methodKind: 'server_streaming' }
      ? DownloadCall<M>
      : DuplexCall<M>;

/** A grpc-js client with the service's methods. */
export type ServiceClient<S extends DescService> = Client & {
  [K in keyof S['method']]: Call<S['method'][K]>;
};

/** A client that connects with its first call; the caller closes it. */
export function openServiceClient<S extends DescService>(
  service: S,
  address: string,
  credentials: ChannelCredentials,
  options: ChannelOptions = {},
): ServiceClient<S> {
  const Constructor = makeGenericClientConstructor(serviceDefinition(service), service.typeName);
  const client: unknown = new Constructor(address, credentials, options);
  return client as ServiceClient<S>;
}
