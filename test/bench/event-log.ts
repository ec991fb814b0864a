/**
 * The log of events: 10,000 events a second are published for ten seconds while 200 readers follow it over sockets, each
 * all events, or each those of one workflow. Publishing includes the log only; the readers are another process.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { openEndpoint } from '../../api/endpoint/server.ts';
import { openAdapters } from '../../engine/assembly/adapters.ts';
import { Outbox, outboxSpec, type WaitingEvent } from '../../engine/events/broker/outbox.ts';
import { openEventLog } from '../../engine/events/event-log/open-event-log.ts';
import { type ListedEvent, publicationOf } from '../../engine/vocabulary/event.ts';
import { fakeEngine } from '../support/engine/fake-engine.ts';
import { northbound } from '../support/servers/api.ts';
import type { ReaderReport, ReaderTask } from './event-readers.ts';
import { type Figure, type Line, least, quantile, under } from './figure.ts';
import { withServices } from './services.ts';
import { usageOf } from './usage.ts';

const PER_SECOND = 10_000;
const SECONDS = 10;
const ALL = PER_SECOND * SECONDS;
const READERS = 200;
/** Events of one step. */
const TOGETHER = 2;
const TICK_MS = 5;
/** Publications without an answer, beyond which the writer waits. */
const IN_FLIGHT = 2_000;
const silent = pino({ level: 'silent' });

interface Urls {
  mongodb: string | undefined;
  redis: string | undefined;
}

export const eventLog: Figure = async (place) => [
  ...under(
    'all events',
    await measured(place.folder('event-log-all'), { mongodb: undefined, redis: undefined }, false),
  ),
  ...under(
    'one workflow',
    await measured(place.folder('event-log-one'), { mongodb: undefined, redis: undefined }, true),
  ),
];

export const servicesEventLog: Figure = async (place) => [
  ...under('all events', await onServices(place.folder('services-event-log-all'), false)),
  ...under('one workflow', await onServices(place.folder('services-event-log-one'), true)),
];

const onServices = (folder: string, isFiltered: boolean): Promise<Line[]> =>
  withServices(({ config }) => measured(folder, { mongodb: config.mongodb, redis: config.redis }, isFiltered));

const workflows = Array.from({ length: READERS }, () => randomUUID());

async function measured(dataDir: string, urls: Urls, isFiltered: boolean): Promise<Line[]> {
  const adapters = await openAdapters({ dataDir, ...urls }, silent, () => {});
  const { store, cluster } = adapters;
  const failed = (error: unknown) => process.stderr.write(`${error}\n`);
  await cluster.start(() => {});
  const log = await openEventLog({ store, cluster, tailOf: adapters.eventTail, retentionDays: 7, failed });
  log.start();
  const outbox = new Outbox(await store.collection<WaitingEvent>(outboxSpec), undefined, cluster, failed, [log.sink]);
  const engine = Object.assign(await fakeEngine(), { events: log.requests });
  const listener = await openEndpoint(engine, { ...northbound, authEnabled: false }, silent);
  const readers = await startReaders({ port: listener.port, count: READERS, workflows: isFiltered ? workflows : [] });
  try {
    const before = process.cpuUsage();
    const { written, seconds } = await write(outbox);
    const report = await readers.report(isFiltered ? written / READERS : written);
    const { user, system } = process.cpuUsage(before);
    const readersCpu = usageOf(readers.pid).cpuSec;
    return [
      { name: 'published', value: written / seconds, unit: 'events/s', goal: least(0.98 * PER_SECOND) },
      { name: 'readers with every event', value: report.complete, unit: 'readers', goal: least(READERS) },
      { name: 'readers that were cut', value: log.feed.cuts, unit: 'readers' },
      { name: 'read by all together', value: report.events / seconds, unit: 'events/s' },
      { name: 'bytes to all readers', value: report.bytes / 1024 / 1024 / seconds, unit: 'MiB/s' },
      { name: 'from publication to a reader, p50', value: quantile(report.delays, 0.5), unit: 'ms' },
      { name: 'from publication to a reader, p99', value: quantile(report.delays, 0.99), unit: 'ms' },
      { name: 'last reader done after the last publication', value: report.lateMs / 1_000, unit: 's' },
      { name: 'CPU of the daemon', value: (user + system) / 1e3 / (written / 1_000), unit: 'ms/1,000' },
      { name: 'CPU of the readers', value: (readersCpu * 1e3) / (written / 1_000), unit: 'ms/1,000' },
    ];
  } finally {
    await readers.stop();
    await listener.close(0);
    await outbox.close();
    await log.close();
    await cluster.close();
    await adapters.close();
  }
}

async function write(outbox: Outbox): Promise<{ written: number; seconds: number }> {
  const start = performance.now();
  let written = 0;
  let inFlight = 0;
  while (written < ALL) {
    const due = Math.min(ALL, ((performance.now() - start) / 1_000) * PER_SECOND);
    while (written < due && inFlight < IN_FLIGHT) {
      const events = Array.from({ length: TOGETHER }, (_, at) => publicationOf(progressEvent(written + at)));
      written += TOGETHER;
      inFlight += 1;
      void outbox.publish(events).then(() => {
        inFlight -= 1;
      });
    }
    await sleep(TICK_MS);
  }
  while (inFlight > 0) await sleep(TICK_MS);
  return { written, seconds: (performance.now() - start) / 1_000 };
}

/** As a workflow publishes it. */
function progressEvent(at: number): ListedEvent {
  const id = workflows[at % READERS] as string;
  const shown = { value: 3, maximum: 5, percentage: '60%', description: 'Task "step-3" succeeded' };
  return {
    id: randomUUID(),
    version: '1.0',
    type: 'graph',
    action: 'progress.updated',
    severity: 'information',
    typeId: id,
    createdAt: new Date().toISOString(),
    nodeId: id,
    n: 1 + Math.floor(at / READERS),
    data: {
      graphId: id,
      graphName: 'Graph.Bench.Chain5',
      status: 'running',
      progress: shown,
      taskProgress: {
        graphId: id,
        taskId: id,
        taskName: 'Task.noop',
        label: 'step-3',
        state: 'succeeded',
        progress: shown,
      },
    },
  };
}

/** Resolves when all readers are connected. */
async function startReaders(task: ReaderTask) {
  const child: ChildProcess = fork(fileURLToPath(new URL('event-readers.ts', import.meta.url)), {
    execArgv: ['--import=tsx'],
  });
  const told = async <T>(): Promise<T> => (await once(child, 'message'))[0] as T;
  const ready = told();
  child.send(task);
  await ready;
  return {
    pid: child.pid as number,
    /** @param events that each reader should get */
    async report(events: number): Promise<ReaderReport> {
      const report = told<ReaderReport>();
      child.send({ events });
      return report;
    },
    async stop(): Promise<void> {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
