/**
 * A burst of Redfish alerts: a thousand a second for ten seconds to one daemon, delivered to a web hook and, with
 * services, to a listener on the broker. No accepted alert may be lost, and each is counted once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { OwnScope } from '../support/ava/scope.ts';
import { startReceiver } from '../support/servers/receiver.ts';
import { hear } from './broker.ts';
import { type BenchDaemon, startDaemon } from './daemon.ts';
import { type Figure, type Line, least, spread } from './figure.ts';
import { withServices } from './services.ts';

const SECONDS = 10;
const PER_SECOND = 1_000;
const ALL = SECONDS * PER_SECOND;
/** Sent together, at the rate of a clock with a hundred ticks a second. */
const AT_ONCE = 10;
const CONNECTIONS = 100;
/** Timeout for pending events after the last alert was accepted. */
const PATIENCE_MS = 120_000;

export const alerts: Figure = async (place) => {
  const daemon = await startDaemon(place.folder('alerts'), CONNECTIONS);
  return measured(daemon, {}).finally(() => daemon.stop());
};

export const servicesAlerts: Figure = (place) =>
  withServices(async ({ config }) => {
    const daemon = await startDaemon(place.folder('services-alerts'), CONNECTIONS, config);
    const hearing = await hear(config.amqp);
    const heard = new Set<string>();
    hearing.listen(({ key, body }) => {
      if (key.startsWith('node.alerts.')) heard.add(eventId(body));
    });
    try {
      return await measured(daemon, { 'received from the broker': heard });
    } finally {
      await hearing.close();
      await daemon.stop();
    }
  });

const eventId = (body: unknown): string => (body as { data: { EventId: string } }).data.EventId;

async function measured(daemon: BenchDaemon, others: Record<string, ReadonlySet<string>>): Promise<Line[]> {
  const scope = new OwnScope();
  try {
    const receiver = await startReceiver(scope);
    await daemon.post('/hooks', { url: receiver.url, filters: [{ action: '^alerts$' }] });
    const node = await daemon.post('/nodes', { type: 'compute', name: 'n' });
    await daemon.post('/lookups', { macAddress: '00:00:00:00:00:01', ipAddress: '127.0.0.1', node: node.id });
    const posted = new Set<string>();
    const { times, seconds } = await storm(daemon);
    const taken = times.length;
    const start = performance.now();
    while (performance.now() < start + PATIENCE_MS) {
      for (const { event } of receiver.posted.all) posted.add(eventId(event));
      if ([posted, ...Object.values(others)].every(({ size }) => size >= taken)) break;
      await sleep(100);
    }
    return [
      { name: 'sent', value: ALL, unit: 'alerts' },
      { name: 'taken (201)', value: taken, unit: 'alerts', goal: least(ALL) },
      { name: 'rate', value: taken / seconds, unit: 'alerts/s' },
      ...spread('an answer', times),
      { name: 'posted to a hook', value: posted.size, unit: 'alerts', goal: least(taken) },
      ...Object.entries(others).map(([name, { size }]): Line => {
        return { name, value: size, unit: 'alerts', goal: least(taken) };
      }),
      { name: 'all published after the last was accepted', value: (performance.now() - start) / 1_000, unit: 's' },
    ];
  } finally {
    await scope.close();
  }
}

/** Sends without waiting for earlier answers. @returns the time of each accepted alert in ms */
async function storm(daemon: BenchDaemon): Promise<{ times: number[]; seconds: number }> {
  const times: number[] = [];
  const send = async (number: number) => {
    const start = performance.now();
    const alert = {
      EventId: String(number),
      Severity: 'Warning',
      MessageId: 'CMC8572',
      Message: 'The battery is low.',
    };
    await daemon.post('/notification/alerts', alert, 'south');
    times.push(performance.now() - start);
  };
  const sent: Promise<void>[] = [];
  const start = performance.now();
  for (let number = 0; number < ALL; number += AT_ONCE) {
    await sleep(Math.max(0, start + (number / PER_SECOND) * 1_000 - performance.now()));
    for (let at = 0; at < AT_ONCE; at += 1) sent.push(send(number + at));
  }
  await Promise.allSettled(sent);
  return { times, seconds: (performance.now() - start) / 1_000 };
}
