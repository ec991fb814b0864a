/** Opens the foundation: stores, queues, the cluster, secrets, settings, metrics, and the way of events to the outside. */
import type { Logger } from 'pino';
import { openRecords } from '../durable/runtime/records.ts';
import { openTracing } from '../durable/telemetry/open-tracing.ts';
import { Heartbeat } from '../events/broker/heartbeat.ts';
import { Outbox, outboxSpec, type WaitingEvent } from '../events/broker/outbox.ts';
import { openEventLog } from '../events/event-log/open-event-log.ts';
import { openHooks } from '../events/hooks/hooks.ts';
import type { Config } from '../platform/config/config.ts';
import { Settings } from '../platform/config/settings.ts';
import { Egress } from '../platform/lib/egress.ts';
import { cipherOf } from '../platform/secrets/secrets.ts';
import { Vault } from '../platform/secrets/vault.ts';
import { isLimited } from '../vocabulary/env-limits.ts';
import { NodewrightError } from '../vocabulary/errors.ts';
import { isSecret } from '../vocabulary/secret-names.ts';
import type { Outside } from './outside.ts';
import { Starting } from './starting.ts';

export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** Whether users can reach the daemon from this machine only. */
const isLocal = ({ httpEndpoints }: Config): boolean =>
  httpEndpoints.every(
    ({ routers, address }) => routers !== 'northbound-api-router' || /^(127\.|::1$|localhost$)/.test(address),
  );

/** @param ended receives the error when the engine cannot continue and only a restart helps */
export async function openFoundation(
  config: Config,
  log: Logger,
  ended: (error: NodewrightError) => void,
  outside: Outside,
) {
  const logFailure = (what: string, error: unknown) => {
    // Repeated every few seconds while the workflow is quarantined.
    const isHeld = error instanceof NodewrightError && error.code === 'QUARANTINED';
    log[isHeld ? 'debug' : 'warn']({ err: error, what }, 'failed; will be retried');
  };
  /** Returns a function that reports the failures of one module. */
  const failedIn = (what: string) => (error: unknown) => logFailure(what, error);
  const adapters = await outside.adapters(config, log, ended);
  const { store, queues, live, cluster, epoch, keys } = adapters;
  const watchdog = outside.watchdog({
    dataDir: config.dataDir,
    limitMs: config.stepLimitMs,
    failed: (error) => log.warn({ err: error }, 'the watchdog failed'),
    strayed: (err, { workflow, graph, cause }) =>
      log.error({ workflow, graph, cause, err }, 'code of a graph left an error unhandled'),
  });
  const vault = new Vault(await keys('values'));
  const metrics = outside.metrics();
  cluster.observePasses((name, result, ms) => metrics.countPass(name, result, ms));
  const broker = await outside.broker(config, log);
  const egress = new Egress(config.egress, isLocal(config));
  const hooks = await openHooks({
    store,
    egress,
    queues,
    cluster,
    encrypt: cipherOf(await keys('hooks'), 'hooks'),
    vault,
    count: (result, times) => metrics.countDelivery(result, times),
    failed: failedIn('hooks'),
  });
  await hooks.start();
  const records = openRecords(live, !cluster.singleNode);
  const eventLog = await openEventLog({
    store,
    cluster,
    tailOf: adapters.eventTail,
    retentionDays: config.eventRetentionDays,
    failed: failedIn('event log'),
  });
  const waiting = await store.collection<WaitingEvent>(outboxSpec);
  const outbox = new Outbox(waiting, broker, cluster, failedIn('outbox'), [hooks.sink, eventLog.sink]);
  outbox.listen(() => metrics.countPublished());
  const settings = new Settings(config, queues.channel('settings'));
  await settings.start();
  const heartbeat = new Heartbeat(outbox);
  heartbeat.every(config.heartbeatIntervalSec);
  settings.listen(({ log: { level }, heartbeatIntervalSec }) => {
    log.level = level;
    heartbeat.every(heartbeatIntervalSec);
  });
  const unlimited = Object.entries(config.env).flatMap(([name, value]) =>
    isSecret(name, value) && !isLimited(value) ? [name] : [],
  );
  if (unlimited.length > 0) {
    log.warn(
      { env: unlimited },
      'every graph can send these secrets anywhere; write { value, tasks, hosts } in their place',
    );
  }
  if (config.role !== 'both' && cluster.singleNode) {
    log.warn({ role: config.role }, 'without MongoDB and Redis there is only one process; it should have both roles');
  }
  return {
    config,
    log,
    failed: logFailure,
    failedIn,
    starting: new Starting(),
    store,
    records,
    queues,
    cluster,
    epoch,
    keys,
    watchdog,
    vault,
    egress,
    metrics,
    tracing: await openTracing(log, config.otlp),
    broker,
    hooks,
    eventLog,
    outbox,
    settings,
    heartbeat,
    close: () => adapters.close(),
  };
}
