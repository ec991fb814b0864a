/** The log of the real engine: every event that it publishes, in order, with its number and its severity. */
import test from 'ava';
import type { LoggedEvent } from '../../../../engine/api-port/events.ts';
import { type EventPayload, eventIn } from '../../../../engine/vocabulary/event.ts';
import { folder } from '../../../support/ava/folder.ts';
import { TestEngine } from '../../../support/engine/engine.ts';
import { putLoaded } from '../../../support/engine/trial-results.ts';

const fails = {
  friendlyName: 'Fails',
  injectableName: 'Graph.Fails',
  tasks: [{ label: 'a', taskName: 'Task.Fixture.Fail' }],
};

const listed = async ({ engine }: TestEngine, filter = {}): Promise<readonly LoggedEvent[]> =>
  (await engine.events.list({ limit: 1_000, filter })).items;

test('the log has every published event, with the severity of how a workflow ended and its numbers without gaps', async (t) => {
  const dataDir = folder(t);
  await putLoaded(dataDir);
  const it = await new TestEngine(dataDir, { heartbeatIntervalSec: 0 }).open();
  await it.engine.library.putGraph(fails);
  const good = await it.launch('Graph.noop-example');
  const bad = await it.launch('Graph.Fails');
  const cancelled = await it.launch('Graph.Demo.InstallOs', {}, (await it.node()).id);
  await it.reached(cancelled.id, 'wait-os-installed', 'waiting').catch(() => {});
  await it.engine.control.cancel(cancelled.id);
  const ends: [string, string, string][] = [
    [good.id, 'succeeded', 'information'],
    [bad.id, 'failed', 'critical'],
    [cancelled.id, 'cancelled', 'warning'],
  ];
  for (const [id, status, severity] of ends) {
    await it.finished(id);
    await it.until(async () => (await listed(it, { typeId: id })).some(({ action }) => action === 'finished'));
    const events = await listed(it, { typeId: id });
    t.like(events.at(-1), { action: 'finished', severity, data: { status } });
    t.true(events.slice(0, -1).every((event) => event.severity === 'information'));
    t.deepEqual(
      events.map(({ n }) => n),
      events.map((_, at) => at + 1),
    );
  }
  const key = it.events.find(
    ({ body }) => (body as EventPayload).typeId === bad.id && /finished/.test(JSON.stringify(body)),
  );
  t.is(key?.key, `graph.finished.critical.${bad.id}`);
  const published = it.events.flatMap((publication) => eventIn(publication) ?? []).map(({ id }) => id);
  t.deepEqual((await listed(it)).map(({ id }) => id).sort(), published.sort());

  const before = await listed(it);
  await it.engine.close();
  await it.open();
  t.deepEqual(await listed(it), before);
  await it.node();
  const [next] = (await it.engine.events.list({ after: before.at(-1)?.seq, limit: 10, filter: {} })).items;
  t.is(next?.action, 'added');
  await it.engine.close();
});

test('events are removed when their retention ends', async (t) => {
  const dataDir = folder(t);
  await putLoaded(dataDir);
  const it = await new TestEngine(dataDir, { heartbeatIntervalSec: 0, eventRetentionDays: 3 / 86_400 }).open();
  const { id } = await it.node();
  await it.until(async () => (await listed(it)).length === 1);
  await it.until(async () => (await listed(it)).length === 0);
  await t.throwsAsync(it.engine.events.list({ after: 0, limit: 1, filter: {} }), { code: 'EVENTS_GONE' });
  await it.engine.nodes.remove(id);
  t.deepEqual(
    (await listed(it)).map(({ action }) => action),
    ['removed'],
  );
  await it.engine.close();
});
