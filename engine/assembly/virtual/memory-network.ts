/**
 * A network within this process: each address has an HTTP server, which is reached through memory. Requests and answers are
 * those of Node.js and of undici. No connection leaves the process: another address is unreachable. No program is started.
 */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { Duplex, duplexPair } from 'node:stream';
import { limitedText } from '../../vocabulary/byte-limits.ts';
import { MIB } from '../../vocabulary/units.ts';

const ANSWER_LIMIT = 16 * MIB;
const UNANSWERED_MS = 30_000;
/** A server looks for slow connections by a timer in real time; here there are none. */
const NO_LOOKS = { connectionsCheckingInterval: 2 ** 31 - 1 };

const net = process.getBuiltinModule('node:net') as unknown as Record<string, unknown>;
const processes = process.getBuiltinModule('node:child_process');

/** No host has it, so each program seems to be missing. */
const NO_PROGRAM = '/nonexistent/program';

export interface MemoryRequest {
  method: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Absent: 30,000. */
  timeoutMs?: number;
}

export interface MemoryAnswer {
  status: number;
  text: string;
  /** Its Content-Length, if it has one. */
  length?: number;
}

/** The methods of a socket that HTTP calls: a pair of streams has no timeouts and no packets to delay. */
function asSocket(stream: Duplex, remoteAddress: string): Duplex {
  const self = () => stream;
  const methods = { setTimeout: self, setKeepAlive: self, setNoDelay: self, ref: self, unref: self };
  return Object.assign(stream, { remoteAddress, ...methods });
}

const noListener = (at: string) =>
  Object.assign(new Error(`connect ECONNREFUSED ${at}`), { code: 'ECONNREFUSED', syscall: 'connect' });

const hostOf = (at: string): string => at.slice(0, at.lastIndexOf(':'));

export class MemoryNetwork {
  readonly #servers = new Map<string, Server>();
  #restore: (() => void) | undefined;

  /** @param at such as `127.0.0.1:9080` */
  listen(at: string, answer: (request: IncomingMessage, response: ServerResponse) => void): void {
    this.#servers.set(at, createServer(NO_LOOKS, answer));
  }

  /** @returns undefined: nothing listens there */
  #connect(at: string, from: string): Duplex | undefined {
    const server = this.#servers.get(at);
    if (server === undefined) return undefined;
    const [client, other] = duplexPair();
    server.emit('connection', asSocket(other, from));
    return asSocket(client, hostOf(at));
  }

  /** All connections of the process lead here, and it starts no program, until `uninstall`. */
  install(): void {
    const { connect } = net;
    const { execFile } = processes;
    const startNothing = (_: string, ...all: unknown[]) => Reflect.apply(execFile, processes, [NO_PROGRAM, ...all]);
    Object.assign(processes, { execFile: startNothing });
    net.connect = ({ host, port }: { host: string; port: number | string }) => {
      const at = `${host}:${port}`;
      const stream = this.#connect(at, '127.0.0.1');
      if (stream !== undefined) {
        process.nextTick(() => stream.emit('connect'));
        return stream;
      }
      const unconnected = asSocket(new Duplex({ read: () => {}, write: () => {} }), host);
      process.nextTick(() => unconnected.destroy(noListener(at)));
      return unconnected;
    };
    syncBuiltinESMExports();
    this.#restore = () => {
      net.connect = connect;
      Object.assign(processes, { execFile });
      syncBuiltinESMExports();
    };
  }

  uninstall(): void {
    this.#restore?.();
    for (const server of this.#servers.values()) {
      server.closeAllConnections();
      server.close();
    }
    this.#servers.clear();
  }

  has({ host }: URL): boolean {
    return this.#servers.has(host);
  }

  /** @param from the address of the sender @throws Error if nothing answers there, or not in time */
  async ask(url: URL, from: string, asking: MemoryRequest, signal: AbortSignal): Promise<MemoryAnswer> {
    const { method, headers = {}, body, timeoutMs = UNANSWERED_MS } = asking;
    const connection = this.#connect(url.host, from);
    if (connection === undefined) throw noListener(url.host);
    const content = body === undefined ? undefined : JSON.stringify(body);
    const type = content === undefined ? {} : { 'content-type': 'application/json' };
    const createConnection = () => connection as never;
    const sent = request(url, { method, headers: { ...headers, ...type }, createConnection, signal });
    const giveUp = () => sent.destroy(new Error(`no answer from ${url.host} in ${timeoutMs} ms`));
    const timer = setTimeout(giveUp, timeoutMs);
    try {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        sent.on('response', resolve).on('error', reject).end(content);
      });
      const length = Number(answer.headers['content-length'] ?? Number.NaN);
      const tooLong = () => new Error(`${url.href} sends more than ${ANSWER_LIMIT} bytes`);
      const text = await limitedText(answer, ANSWER_LIMIT, tooLong);
      return { status: answer.statusCode ?? 0, text, ...(Number.isSafeInteger(length) && { length }) };
    } finally {
      clearTimeout(timer);
      connection.destroy();
    }
  }
}
