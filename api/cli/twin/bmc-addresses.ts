/**
 * The addresses of the BMCs: each machine has one in 127/8 with the same port. All of them share two HTTP servers, one of
 * them with TLS, which listen nowhere themselves: a connection tells by its local address which BMC it is for.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createListener, type Server as Listener } from 'node:net';
import type { MachineBmc } from '../../../engine/twin/bmc/bmc.ts';
import { BmcRejection } from '../../../engine/twin/bmc/bmc-rejection.ts';
import type { BmcAnswer, BmcRequest } from '../../../engine/twin/bmc/bmc-request.ts';
import { readBmcBody } from '../../../engine/twin/bmc/read-body.ts';
import type { Model } from '../../../engine/twin/machine/model.ts';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import { KIB } from '../../../engine/vocabulary/units.ts';

export interface BmcService {
  address: string;
  /** false: the BMC has no mains, and no connection is accepted. */
  isThere(): boolean;
  model: Model;
  bmc: Pick<MachineBmc, 'answer'>;
}

export interface KeyPair {
  cert: Buffer;
  key: Buffer;
}

const HEADER_LIMIT = 16 * KIB;
/** Listeners that are opened at a time. */
const PART = 200;

export class BmcAddresses {
  readonly #services: ReadonlyMap<string, BmcService>;
  readonly #servers: { plain: Server; secure: Server };
  readonly #port: number;
  #listeners: Listener[] = [];

  constructor(services: readonly BmcService[], port: number, pair: KeyPair) {
    this.#services = new Map(services.map((service) => [service.address, service]));
    this.#port = port;
    const hear = (request: IncomingMessage, response: ServerResponse) => void this.#hear(request, response);
    const options = { maxHeaderSize: HEADER_LIMIT, keepAliveTimeout: 30_000, requestTimeout: 600_000 };
    this.#servers = { plain: createServer(options, hear), secure: createSecureServer({ ...options, ...pair }, hear) };
  }

  /** @throws Error with the address that is in use */
  async listen(): Promise<void> {
    const services = [...this.#services.values()];
    for (let at = 0; at < services.length; at += PART) {
      await Promise.all(services.slice(at, at + PART).map((service) => this.#listenFor(service)));
    }
  }

  async #listenFor(service: BmcService): Promise<void> {
    const listener = createListener((socket) => {
      if (!service.isThere()) return void socket.destroy();
      this.#servers[service.model.bmc.https ? 'secure' : 'plain'].emit('connection', socket);
    });
    this.#listeners.push(listener);
    listener.listen(this.#port, service.address);
    await once(listener, 'listening');
  }

  async #hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const service = this.#services.get(request.socket.localAddress ?? '');
    if (service === undefined) return void response.destroy();
    const gone = new AbortController();
    response.once('close', () => gone.abort(new Error('the client is gone')));
    try {
      const answer = await answerTo(request, service, gone.signal);
      // It stays open, as with a BMC that hangs: the client's timeout ends it.
      if (answer === 'silent') return;
      response.writeHead(answer.status, answer.headers);
      response.end(answer.body);
    } catch (error) {
      if (gone.signal.aborted) return;
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
      response.end(`the twin failed: ${messageOf(error)}`);
    }
  }

  async close(): Promise<void> {
    const closed = this.#listeners.map((listener) => new Promise((resolve) => listener.close(resolve)));
    this.#servers.plain.closeAllConnections();
    this.#servers.secure.closeAllConnections();
    await Promise.all(closed);
  }
}

async function answerTo(request: IncomingMessage, { model, bmc }: BmcService, signal: AbortSignal) {
  const { method = 'GET', url: path = '/', headers } = request;
  const requestHead: Omit<BmcRequest, 'body'> = { method, path, headers };
  try {
    return await bmc.answer({ ...requestHead, ...(await readBmcBody(request, method, path, model)) }, signal);
  } catch (error) {
    if (error instanceof BmcRejection) return rejectionAnswer(error);
    throw error;
  }
}

const rejectionAnswer = ({ status, body }: BmcRejection): BmcAnswer => ({
  status,
  headers: { 'content-type': 'application/json', connection: 'close' },
  body: JSON.stringify(body),
});
