/**
 * The daemon: engine and endpoints, from start to stop. Its dependencies are parameters, so that a test can run it in
 * its own process with its own engine.
 *
 * The endpoints listen before the engine starts, so that the daemon answers during recovery.
 */
import type { Logger } from 'pino';
import type { ApiConfig, Endpoint, Engine } from '../../engine/api-port/index.ts';
import { sharedParts } from '../endpoint/app.ts';
import { type Listener, openEndpoint } from '../endpoint/server.ts';
import { greeting } from './greeting.ts';

export interface Daemon {
  readonly listeners: readonly Listener[];
  /** Resolves when the engine has started or was stopped before that. @throws the error that prevents the start */
  readonly started: Promise<void>;
  /** Resolves with the line for a person who has started it; undefined: it serves no console. */
  greet(): Promise<string | undefined>;
  /** Stops accepting requests, then stops the engine. Idempotent. */
  stop(): Promise<void>;
}

type ClosableEngine = Engine & { start(): Promise<void>; close(): Promise<void> };

/** Grace period for open requests when the daemon stops; the engine needs a part of the 10 s too. */
const GRACE_MS = 2_000;

/** @throws the error of the engine or of a listener, after closing everything */
export async function startDaemon<C extends ApiConfig>(
  config: C,
  log: Logger,
  createEngine: (config: C, log: Logger) => Promise<ClosableEngine>,
): Promise<Daemon> {
  const { httpEndpoints, healthEndpoint } = config;
  const endpoints = healthEndpoint === undefined ? httpEndpoints : [...httpEndpoints, healthEndpoint];
  const engine = await createEngine(config, log);
  const listeners: Listener[] = [];
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= closeAll(listeners, engine);
    return stopped;
  };
  try {
    await openAll(engine, endpoints, log, listeners);
    engine.settings.notePorts(listeners.slice(0, httpEndpoints.length).map(({ port }) => port));
  } catch (error) {
    await stop();
    throw error;
  }
  // Supervisors wait for this line, so it is logged at every log level.
  const startLog = log.child({}, { level: 'info' });
  startLog.info({ endpoints: endpoints.map((endpoint, at) => shownEndpoint(endpoint, listeners[at])) }, 'listening');
  const started = engine.start().then(() => void (stopped ?? startLog.info('ready')));
  started.catch(() => {}); // callers that await `started` get the error
  const greet = async () => greeting(endpoints, listeners, (await engine.users.count()) > 0);
  return { listeners, started, greet, stop };
}

async function openAll(engine: Engine, endpoints: readonly Endpoint[], log: Logger, opened: Listener[]): Promise<void> {
  const shared = sharedParts(engine);
  for (const endpoint of endpoints) opened.push(await openEndpoint(engine, endpoint, log, shared));
}

/** Closes the engine even when closing a listener fails. */
async function closeAll(listeners: readonly Listener[], engine: ClosableEngine): Promise<void> {
  await Promise.allSettled(listeners.map((listener) => listener.close(GRACE_MS)));
  await engine.close();
}

function shownEndpoint({ routers, httpsEnabled }: Endpoint, listener: Listener | undefined) {
  return { routers, address: listener?.address, port: listener?.port, https: httpsEnabled };
}
