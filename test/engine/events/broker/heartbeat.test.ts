import { execFileSync } from 'node:child_process';
import { hostname } from 'node:os';
import test from 'ava';
import type { EventPayload } from '../../../../engine/vocabulary/event.ts';
import { openEngine } from '../../../support/engine/engine.ts';

const fqdn = (): string => {
  try {
    return execFileSync('hostname', ['-f'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return hostname();
  }
};

test('each process publishes a heartbeat at an interval, with its state', async (t) => {
  const it = await openEngine({ heartbeatIntervalSec: 0.2 });
  t.teardown(() => it.close());
  const beats = () => it.events.filter(({ key }) => key.startsWith('heartbeat.'));
  await it.until(() => beats().length >= 2);
  const [first, second] = beats().map(({ body }) => body as EventPayload) as [EventPayload, EventPayload];
  t.is(beats()[0]?.key, `heartbeat.updated.information.${fqdn()}.nodewright`);
  t.like(second, { type: 'heartbeat', action: 'updated', severity: 'information', nodeId: null, version: '1.0' });
  t.is(second.typeId, `${fqdn()}.nodewright`);
  const { data } = second;
  t.like(data, { name: 'nodewright', pid: process.pid, uid: process.getuid?.() ?? 0, platform: process.platform });
  t.like(data, { lastUpdate: first.data.currentTime });
  t.is(Date.parse(data.nextUpdate as string) - Date.parse(data.currentTime as string), 200);
  t.regex(data.cpuUsage as string, /^\d+%$/);
  t.true((data.memoryUsage as { rss: number }).rss > 1_000_000);
  t.is((data.versions as { node: string }).node, process.versions.node);
});

test('the interval can change at runtime, and 0 disables the heartbeats', async (t) => {
  const it = await openEngine({ heartbeatIntervalSec: 0 });
  t.teardown(() => it.close());
  const beats = () => it.events.filter(({ key }) => key.startsWith('heartbeat.')).length;
  await it.engine.settings.change({ heartbeatIntervalSec: 0.1 });
  await it.until(() => beats() >= 2);
  await it.engine.settings.change({ heartbeatIntervalSec: 0 });
  const stopped = beats();
  await it.finished((await it.launch('Graph.noop-example')).id);
  t.true(beats() <= stopped + 1);
});
