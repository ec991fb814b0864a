/** Opens one endpoint: a listening socket with the time limits that keep slow clients from holding it. */
import { setMaxListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { ApiConfig, Endpoint, Engine } from '../engine/api-port/index.ts';
import { NodewrightError } from '../engine/define/errors.ts';
import { createApp } from './app.ts';
import { selfSignedPair } from './certificate.ts';
import type { RequestMetrics } from './middleware/measure.ts';
import { type BodyLimits, watchBody } from './patience.ts';

export interface Listener {
  address: string;
  port: number;
  /** Takes no more requests and resolves when those under way are answered, or cut after `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

export type TimeLimits = ServerOptions & BodyLimits;

/** In ms. */
export const timeLimits: TimeLimits = {
  // A client needs no longer to say what it wants.
  headersTimeout: 10_000,
  // The largest body in JSON over a slow management network.
  bodyMs: 60_000,
  // Less than any link that boots machines; the largest pack takes two and a half hours by it.
  rate: 32 * 1_024,
  // Whatever an upload is: no connection is held for longer.
  requestTimeout: 4 * 3_600_000,
  // How often Node's own are looked at.
  connectionsCheckingInterval: 2_000,
};

export async function openEndpoint(
  engine: Engine,
  endpoint: Endpoint,
  log: Logger,
  metrics?: RequestMetrics,
  limits = timeLimits,
): Promise<Listener> {
  const closing = new AbortController();
  // As many listen as wait for something to happen.
  setMaxListeners(0, closing.signal);
  const answer = createApp(engine, endpoint, log, metrics, closing.signal).callback();
  const server = await serverFor(engine.config, endpoint, limits, (req, res) => {
    watchBody(req, res, limits);
    void answer(req, res);
  });
  await listen(server, endpoint);
  const { address, port } = server.address() as AddressInfo;
  return { address, port, close };

  function close(graceMs = 5_000): Promise<void> {
    closing.abort();
    return closed(server, graceMs);
  }
}

async function serverFor(
  { dataDir }: ApiConfig,
  endpoint: Endpoint,
  limits: ServerOptions,
  answer: RequestListener,
): Promise<Server> {
  if (!endpoint.httpsEnabled) return createServer(limits, answer);
  const pair = await pairOf(endpoint, dataDir);
  try {
    return createSecureServer({ ...limits, ...pair }, answer);
  } catch (cause) {
    const where = endpoint.httpsCert ?? dataDir;
    throw new NodewrightError('CONFIG_INVALID', `the certificate and key of ${where} do not fit together`, { cause });
  }
}

/** The configured pair, or one of our own making: encrypted, though nobody can tell who answers. */
async function pairOf({ httpsCert, httpsKey }: Endpoint, dataDir: string): Promise<{ cert: Buffer; key: Buffer }> {
  if (httpsCert === undefined || httpsKey === undefined) return selfSignedPair(dataDir);
  const [cert, key] = await Promise.all([pem(httpsCert), pem(httpsKey)]);
  return { cert, key };
}

const pem = (path: string): Promise<Buffer> =>
  readFile(path).catch((cause) => {
    throw new NodewrightError('CONFIG_INVALID', `${path} cannot be read (${cause.code}); correct the path`, { cause });
  });

function listen(server: Server, { address, port }: Endpoint): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(new NodewrightError('CONFIG_INVALID', `cannot listen on ${address}:${port} (${cause.code})`, { cause })),
    );
    server.listen(port, address, resolve);
  });
}

async function closed(server: Server, graceMs: number): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(cut);
}
