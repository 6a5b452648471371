/** Adds model packs, measures them, and rescores old records. */
import { benchModels } from '../../app/appliance/model-bench.ts';
import { addModel, type ModelFile } from '../../app/appliance/models.ts';
import { rescoreWithDocument } from '../../app/evidence/rescore-document.ts';
import { rescore } from '../../app/records/rescore.ts';
import { AppError, badField } from '../../domain/errors.ts';
import type { Handlers } from '../../grpc/definition.ts';
import {
  type AddModelRequest,
  ApplianceService,
  type ModelHeader,
} from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { toMessage } from '../../grpc/messages.ts';
import { download, duplex, type GrpcContext } from './calls.ts';
import { fromKind } from './enums.ts';

const { method } = ApplianceService;

type ByHand = 'addModel' | 'benchModels' | 'rescore';

const RESCORE_DEFAULT = 100;

export function modelHandlers(context: GrpcContext): Pick<Handlers<typeof ApplianceService>, ByHand> {
  const { app } = context;
  return {
    addModel: duplex(context, method.addModel, async function* ({ principal, messages, signal }) {
      const stream = new ModelStream(messages);
      const { catalogueName, download: isFetched, acceptLicence } = await stream.readHeader();
      const input = {
        principal,
        catalogueName,
        download: isFetched,
        acceptLicence,
        files: stream.readFiles(),
      };
      for await (const step of addModel(app, input, signal)) yield toMessage(method.addModel.output, step);
    }),
    benchModels: download(context, method.benchModels, ({ principal, signal }) =>
      benchModels(app, { principal }, signal),
    ),
    rescore: download(context, method.rescore, async function* ({ principal, request, signal }) {
      const kind = fromKind(request.kind, 'kind');
      const limit = request.limit === 0 ? RESCORE_DEFAULT : request.limit;
      const { withDocument, documentLanguage: language } = request;
      const input = { principal, kind, limit, language };
      for await (const rescored of withDocument
        ? rescoreWithDocument(app, input, signal)
        : rescore(app, input, signal)) {
        yield toMessage(method.rescore.output, rescored);
      }
    }),
  };
}

type Payload = AddModelRequest['payload'];

/** The stream holds a header, each file with its chunks, and a commit; without the commit it was cut off. */
class ModelStream {
  readonly #messages: AsyncIterator<AddModelRequest, unknown>;
  /** The message that begins the next file; it ended the chunks of the one before. */
  #next: Payload | undefined;

  constructor(messages: AsyncIterator<AddModelRequest, unknown>) {
    this.#messages = messages;
  }

  async readHeader(): Promise<ModelHeader> {
    const payload = await this.#read();
    if (payload?.case === 'header') return payload.value;
    throw badField('header', `expected the header as the first message, found ${nameOf(payload)}`);
  }

  async *readFiles(): AsyncGenerator<ModelFile> {
    this.#next = await this.#read();
    while (this.#next?.case === 'file') {
      const { name } = this.#next.value;
      const bytes = this.#readChunks();
      yield { name, bytes };
      // Skips chunks that were not read, or the next file would never come.
      for await (const _ of bytes);
    }
    if (this.#next?.case !== 'commit') {
      throw badField('payload', `expected a file or the commit, found ${nameOf(this.#next)}`);
    }
  }

  async *#readChunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const payload = await this.#read();
      this.#next = payload;
      if (payload?.case !== 'chunk') return;
      yield payload.value;
    }
  }

  /** Undefined at the end of the stream. */
  async #read(): Promise<Payload | undefined> {
    try {
      const { done, value } = await this.#messages.next();
      return done === true ? undefined : (value as AddModelRequest).payload;
    } catch (error) {
      throw new AppError('cancelled', 'the upload was cut off', { cause: error });
    }
  }
}

function nameOf(payload: Payload | undefined): string {
  if (payload === undefined) return 'the end of the stream';
  return payload.case === undefined ? 'an empty message' : `a ${payload.case}`;
}
