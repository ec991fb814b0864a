/** Events of one workflow reach a hook in order in spite of failures; other workflows do not wait for it. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { Store } from '../../../../engine/platform/store/port.ts';
import type { EventPayload } from '../../../../engine/vocabulary/event.ts';
import { fileScope } from '../../../support/ava/file-scope.ts';
import { openEngine } from '../../../support/engine/engine.ts';
import { nodeEvent } from '../../../support/engine/events.ts';
import { startHooks } from '../../../support/engine/hooks.ts';
import { openOwnStore } from '../../../support/engine/stores.ts';
import { startReceiver } from '../../../support/servers/receiver.ts';

const scope = fileScope();
let store: Store;
test.before(async () => {
  store = await openOwnStore(scope);
});

const quick = { firstWait: 20, maxWait: 60, maxBackoff: 60, round: 100 };
const WORKFLOWS = 12;
const EVENTS = 15;

const graphEvent = (typeId: string, n: number): EventPayload => nodeEvent({ type: 'graph', action: 'x', typeId, n });
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

test.serial('events of a workflow are delivered in order even if every third attempt fails', async (t) => {
  const hooks = await startHooks(t, store, quick);
  const delivered = new Map<string, number[]>();
  const receiver = await startReceiver(t, (nth) => (nth % 3 === 0 ? 500 : 204));
  await hooks.make({ url: receiver.url });
  const workflows = numbers(WORKFLOWS).map(() => randomUUID());
  // As daemons publish them: in order within a workflow, interleaved between workflows.
  for (const n of numbers(EVENTS)) await hooks.take(...workflows.map((workflow) => graphEvent(workflow, n)));
  await hooks.results.until((all) => all.filter((result) => result === 'delivered').length === WORKFLOWS * EVENTS);
  for (const [at, { event }] of receiver.posted.all.entries()) {
    if ((at + 1) % 3 === 0) continue;
    delivered.set(event.typeId, [...(delivered.get(event.typeId) ?? []), event.n ?? 0]);
  }
  for (const workflow of workflows) t.deepEqual(delivered.get(workflow), numbers(EVENTS));
});

test.serial('a workflow with a rejected first event waits alone', async (t) => {
  const hooks = await startHooks(t, store, quick);
  const [stuck, free] = [randomUUID(), randomUUID()];
  let rejects = true;
  const receiver = await startReceiver(t, (nth) => {
    const { event } = receiver.posted.all[nth - 1] as { event: EventPayload };
    return rejects && event.typeId === stuck ? 400 : 204;
  });
  await hooks.make({ url: receiver.url });
  const seen = (workflow: string) =>
    receiver.posted.all.filter(({ event }) => event.typeId === workflow).map(({ event }) => event.n);
  for (const n of numbers(5)) await hooks.take(graphEvent(stuck, n), graphEvent(free, n));
  await receiver.posted.until(() => seen(free).length === 5 && seen(stuck).length > 3);
  t.deepEqual(seen(free), numbers(5));
  t.true(
    seen(stuck).every((n) => n === 1),
    'only the first event is tried',
  );
  rejects = false;
  await hooks.results.until((all) => all.filter((result) => result === 'delivered').length === 10);
  t.deepEqual(
    seen(stuck).filter((n) => n !== 1),
    [2, 3, 4, 5],
  );
});

test.serial('the events of real workflows carry 1, 2, 3 without gaps, and arrive in that order', async (t) => {
  const daemon = await openEngine();
  t.teardown(() => daemon.close());
  const receiver = await startReceiver(t);
  await daemon.engine.hooks.create({ url: receiver.url, filters: [{ type: '^graph$' }] });
  const ids = await Promise.all(numbers(10).map(async () => (await daemon.launch('Graph.noop-example')).id));
  for (const id of ids) await daemon.finished(id);
  const of = (id: string) => receiver.posted.all.filter(({ event }) => event.typeId === id).map(({ event }) => event);
  await receiver.posted.until(() => ids.every((id) => of(id).at(-1)?.action === 'finished'));
  await daemon.until(() => ids.every((id) => daemon.of(id, 'finished').length > 0));
  for (const id of ids) {
    const events = of(id);
    t.is(events[0]?.action, 'started');
    t.deepEqual(
      events.map(({ n }) => n),
      numbers(events.length),
    );
    const sent = daemon.events.map(({ body }) => body as EventPayload).filter(({ typeId }) => typeId === id);
    const numbered = (all: EventPayload[]) => all.map(({ id: event, n }) => [event, n]);
    t.deepEqual(numbered(events), numbered(sent), 'the same numbers on AMQP');
  }
});
