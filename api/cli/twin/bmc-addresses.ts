/**
 * The addresses of the BMCs: each machine has one in 127/8 with the same port. All of them share two HTTP servers, one of
 * them with TLS, which listen nowhere themselves: a connection tells by its local address which BMC it is for.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createListener, type Server as Listener } from 'node:net';
import { type AnsweringBmc, answerByHttp } from '../../../engine/hardware/twin/bmc/http-answer.ts';
import { KIB } from '../../../engine/vocabulary/units.ts';

export interface BmcService extends AnsweringBmc {
  address: string;
  isHttps: boolean;
  /** false: the BMC has no mains, and no connection is accepted. */
  isThere(): boolean;
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
      this.#servers[service.isHttps ? 'secure' : 'plain'].emit('connection', socket);
    });
    this.#listeners.push(listener);
    listener.listen(this.#port, service.address);
    await once(listener, 'listening');
  }

  async #hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const service = this.#services.get(request.socket.localAddress ?? '');
    if (service === undefined) return void response.destroy();
    await answerByHttp(service, request, response);
  }

  async close(): Promise<void> {
    const closed = this.#listeners.map((listener) => new Promise((resolve) => listener.close(resolve)));
    this.#servers.plain.closeAllConnections();
    this.#servers.secure.closeAllConnections();
    await Promise.all(closed);
  }
}
