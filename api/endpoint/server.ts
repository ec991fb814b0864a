/** Opens one endpoint: a listening socket with timeouts against slow clients. */
import { setMaxListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Logger } from 'pino';
import type { ApiConfig, Endpoint, Engine } from '../../engine/api-port/index.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { HOUR_MS, MINUTE_MS } from '../../engine/vocabulary/units.ts';
import { awaitContinue } from '../http/body-parts.ts';
import { type BodyLimits, watchBody } from '../http/body-timeout.ts';
import { createApp, type SharedParts } from './app.ts';
import { authoritiesIn, type OpenEndpoint, rootIn } from './authority.ts';
import { connectionsFor, limitConnections } from './connection-limits.ts';
import { inSequence } from './in-sequence.ts';
import { selfSignedPair } from './self-signed.ts';
import { answerUnreadable } from './unreadable.ts';

export interface Listener {
  address: string;
  port: number;
  /** Stops accepting requests and resolves when the open ones are answered, or are cut after `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

export interface TimeLimits extends ServerOptions, BodyLimits {
  /** The longest time in which no byte of a connection moves in either direction. */
  silentMs: number;
}

/** Timeouts in ms. */
export const timeLimits: TimeLimits = {
  // Longer than clients and load balancers keep idle connections (most for 60 s), because a request on a connection that is being
  // closed fails with ECONNRESET.
  keepAliveTimeout: 75_000,
  // Sufficient for any client to send its headers.
  headersTimeout: 10_000,
  // Sufficient for the largest JSON body over a slow management network.
  bodyMs: 60_000,
  // Slower than any link that machines boot over; the largest pack takes two and a half hours at this rate.
  rate: 32 * 1_024,
  // Maximum duration of any request, uploads included.
  requestTimeout: 4 * HOUR_MS,
  // Longer than any answer is waited for. It ends the answers to clients that do not read them.
  silentMs: 15 * MINUTE_MS,
  // Interval at which Node checks its own timeouts.
  connectionsCheckingInterval: 2_000,
};

export async function openEndpoint(
  engine: Engine,
  endpoint: Endpoint,
  log: Logger,
  shared?: SharedParts,
  limits = timeLimits,
  connections = connectionsFor(engine.config.httpEndpoints.length),
): Promise<Listener> {
  const closing = new AbortController();
  // One listener for each request that waits for an event.
  setMaxListeners(0, closing.signal);
  const pair = endpoint.httpsEnabled ? await pairOf(endpoint, engine.config) : undefined;
  const open: OpenEndpoint = { ...endpoint, ...(pair?.authority !== undefined && { authority: pair.authority }) };
  const answer = createApp(engine, open, log, shared, closing.signal).callback();
  const onRequest = inSequence((req, res) => {
    watchBody(req, res, limits);
    void answer(req, res);
  });
  const server = serverFor(pair, limits, onRequest);
  server.on('checkContinue', (req, res) => {
    awaitContinue(req, res);
    onRequest(req, res);
  });
  server.timeout = limits.silentMs;
  limitConnections(server, endpoint, connections, log);
  answerUnreadable(server);
  await listen(server, endpoint);
  const { address, port } = server.address() as AddressInfo;
  return { address, port, close };

  function close(graceMs = 5_000): Promise<void> {
    closing.abort();
    return untilClosed(server, graceMs);
  }
}

interface Pair {
  cert: Buffer;
  key: Buffer;
  authority: string | undefined;
}

function serverFor(pair: Pair | undefined, limits: ServerOptions, answer: RequestListener): Server {
  return pair === undefined
    ? createServer(limits, answer)
    : createSecureServer({ ...limits, ...pair, handshakeTimeout: limits.headersTimeout }, answer);
}

/** Returns the configured pair, or a self-signed one, which clients can authenticate only if they were given it. */
async function pairOf(endpoint: Endpoint, config: ApiConfig): Promise<Pair> {
  const { httpsCert = config.dataDir, httpsCa } = endpoint;
  const { cert, key } = await certificateOf(endpoint, config);
  const ca = httpsCa === undefined ? undefined : await pem(httpsCa);
  const authority = validOr(`the certificate and key of ${httpsCert} do not match`, () => {
    createSecureContext({ cert, key });
    return rootIn(`${cert}`);
  });
  if (ca === undefined) return { cert, key, authority };
  return { cert, key, authority: validOr(`${httpsCa} is not a PEM certificate`, () => authoritiesIn(`${ca}`)) };
}

async function certificateOf({ httpsCert, httpsKey, address }: Endpoint, { dataDir, servicePublicIp = '' }: ApiConfig) {
  if (httpsCert === undefined || httpsKey === undefined) return selfSignedPair(dataDir, [servicePublicIp, address]);
  // In sequence, so that of two unreadable files the same is named each time.
  const cert = await pem(httpsCert);
  const key = await pem(httpsKey);
  return { cert, key };
}

/** @throws NodewrightError CONFIG_INVALID with the violation if it cannot be read */
function validOr<T>(violation: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new NodewrightError('CONFIG_INVALID', violation, { cause });
  }
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

async function untilClosed(server: Server, graceMs: number): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(cut);
}
