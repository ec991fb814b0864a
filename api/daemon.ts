/**
 * The daemon: engine and endpoints, from start to stop. What it needs is handed in, so that a test can run it in its
 * own process with an engine of its own.
 *
 * It listens first. The engine starts after that: whatever its recovery meets, the daemon answers.
 */
import type { Logger } from 'pino';
import type { ApiConfig, Endpoint, Engine } from '../engine/api-port/index.ts';
import { RequestMetrics } from './middleware/measure.ts';
import { type Listener, openEndpoint } from './server.ts';

export interface Daemon {
  readonly listeners: readonly Listener[];
  /** Resolves when the engine has started, or is stopped meanwhile. @throws what keeps it from starting */
  readonly started: Promise<void>;
  /** No more requests, then no more work. Harmless to call twice. */
  stop(): Promise<void>;
}

type Closable = Engine & { start(): Promise<void>; close(): Promise<void> };

/** Requests under way get this long when the daemon stops; the engine needs its share of the 10 s too. */
const GRACE_MS = 2_000;

/** @throws what the engine or a listener threw, with everything closed again */
export async function startDaemon<C extends ApiConfig>(
  config: C,
  log: Logger,
  createEngine: (config: C, log: Logger) => Promise<Closable>,
): Promise<Daemon> {
  const engine = await createEngine(config, log);
  const listeners: Listener[] = [];
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= closeAll(listeners, engine);
    return stopped;
  };
  try {
    await openAll(engine, config.httpEndpoints, log, listeners);
    engine.settings.opened(listeners.map(({ port }) => port));
  } catch (error) {
    await stop();
    throw error;
  }
  // Whoever starts the daemon waits for this line, however quiet the log is.
  const told = log.child({}, { level: 'info' });
  told.info({ endpoints: config.httpEndpoints.map((endpoint, at) => shown(endpoint, listeners[at])) }, 'listening');
  const started = engine.start().then(() => void (stopped ?? told.info('ready')));
  started.catch(() => {}); // whoever asks for `started` hears of it
  return { listeners, started, stop };
}

async function openAll(engine: Engine, endpoints: readonly Endpoint[], log: Logger, opened: Listener[]): Promise<void> {
  const metrics = new RequestMetrics();
  for (const endpoint of endpoints) opened.push(await openEndpoint(engine, endpoint, log, metrics));
}

/** The engine is closed even when a listener does not close. */
async function closeAll(listeners: readonly Listener[], engine: Closable): Promise<void> {
  await Promise.allSettled(listeners.map((listener) => listener.close(GRACE_MS)));
  await engine.close();
}

function shown({ routers, httpsEnabled }: Endpoint, listener: Listener | undefined) {
  return { routers, address: listener?.address, port: listener?.port, https: httpsEnabled };
}
