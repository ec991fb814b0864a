/** A receiver of web hooks: records each post and answers with a configured behaviour. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { EventPayload } from '../../../engine/vocabulary/event.ts';
import type { Scope } from '../ava/scope.ts';
import { Hearing } from './hearing.ts';

export interface Posted {
  path: string;
  method: string;
  headers: IncomingMessage['headers'];
  text: string;
  event: EventPayload;
  /** ms, as `performance.now`. */
  at: number;
}

/** @param nth number of the request, from 1 @returns the status; undefined: it has answered itself, or never will */
export type Behaviour = (nth: number, response: ServerResponse) => number | undefined;

export interface Receiver {
  readonly url: string;
  readonly posted: Hearing<Posted>;
  behave: Behaviour;
  /** Stops listening; `again` listens on the same port. */
  stop(): Promise<void>;
  again(): Promise<void>;
}

export async function startReceiver(
  t: Scope,
  behave: Behaviour = () => 204,
  tls?: { cert: string; key: string },
): Promise<Receiver> {
  const posted = new Hearing<Posted>();
  const receiver = { url: '', posted, behave, stop, again };
  const hear = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { url: path = '', method = '', headers } = request;
    posted.add({ path, method, headers, text, event: JSON.parse(text) as EventPayload, at: performance.now() });
    const status = receiver.behave(posted.all.length, response);
    if (status !== undefined) response.writeHead(status).end();
  };
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    hear(request, response).catch(() => response.destroy()); // the sender is gone
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  const port = () => (server.address() as AddressInfo).port;
  async function stop(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server.close(), 'close');
    server.closeAllConnections();
    await closed;
  }
  async function again(): Promise<void> {
    await once(server.listen(Number(new URL(receiver.url).port), '127.0.0.1'), 'listening');
  }
  await once(server.listen(0, '127.0.0.1'), 'listening');
  receiver.url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port()}/`;
  t.teardown(stop);
  return receiver;
}
