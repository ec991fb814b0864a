import { randomUUID } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import type { NodeMessage } from '../../../../engine/durable/actors/messages.ts';
import { actorSpec } from '../../../../engine/durable/live/specs.ts';
import type { Sender } from '../../../../engine/durable/runtime/sender.ts';
import { contextOf, type NodeRow, newNodeRow } from '../../../../engine/durable/step/node.ts';
import type { Effect, WorkflowRow } from '../../../../engine/durable/step/row.ts';
import { launch, step } from '../../../../engine/durable/step/workflow.ts';
import { graphOfList } from '../../../../engine/library/forms/list-of-tasks.ts';
import { loadedTask } from '../../../../engine/library/forms/loaded-task.ts';
import type { Collection } from '../../../../engine/platform/store/port.ts';
import { NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import { type Broadcast, Broadcasts, broadcastSpec } from '../../../../engine/workflows/requests/broadcasts.ts';
import waitNotification from '../../../../tasks/wait-notification.ts';
import { deferred } from '../../../support/ava/deferred.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { at, NOW, NodeActor, start } from '../../../support/engine/node-actor.ts';
import { api } from '../../../support/engine/tasks.ts';

const notice = (id: string = randomUUID()): Broadcast => ({ id, at, parameters: { id }, broadcast: true });

/** Nodes with a workflow each; `reject` gives the answer of a node instead of an acceptance. */
async function opened(reject: (node: string, time: number) => Error | undefined, ids = ['a', 'b', 'c']) {
  const store = new MemoryStore();
  const nodes = await store.collection<NodeRow>(actorSpec);
  for (const id of ids) await nodes.insert({ ...newNodeRow(id, 0), workflow: `of-${id}` });
  const broadcasts = await store.collection<Broadcast>(broadcastSpec);
  const outcome: string[] = [];
  const gone = deferred();
  const send = {
    async node(id: string, { type }: NodeMessage) {
      const error = reject(id, outcome.filter((other) => other === `${type} ${id}`).length);
      outcome.push(`${type} ${id}`);
      if (error) throw error;
    },
  };
  const remove = broadcasts.remove.bind(broadcasts);
  broadcasts.remove = async (filter) => {
    const count = await remove(filter);
    gone.resolve();
    return count;
  };
  const readAhead = async () => {};
  const records = { storedNodes: nodes, nodes: { readAhead }, workflows: { readAhead } };
  const requests = new Broadcasts({ send: send as unknown as Sender, records }, broadcasts, 5, () => {});
  return { requests, broadcasts, outcome, gone: gone.promise };
}

test('a broadcast is sent again to the nodes that it missed while the store was away', async (t) => {
  const away = new NodewrightError('UNAVAILABLE', 'away');
  const { requests, outcome, gone } = await opened((node, time) => (node === 'b' && time === 0 ? away : undefined));
  await requests.add(notice());
  await gone;
  await requests.close();
  t.is(outcome.filter((one) => one === 'notify b').length, 2);
});

test('an outage of the store during a broadcast sends it twice to no node', async (t) => {
  const ids = Array.from({ length: 1_000 }, (_, n) => `node-${String(n).padStart(4, '0')}`);
  const away = new NodewrightError('UNAVAILABLE', 'away');
  const isAway = (node: string, time: number) => node >= 'node-0450' && node < 'node-0800' && time === 0;
  const { requests, outcome, gone } = await opened((node, time) => (isAway(node, time) ? away : undefined), ids);
  await requests.add(notice());
  await gone;
  await requests.close();
  const times = ids.map((id) => outcome.filter((one) => one === `notify ${id}`).length);
  t.deepEqual(
    times,
    ids.map((id) => (isAway(id, 0) ? 2 : 1)),
  );
});

test('a broadcast that did not reach all nodes is stored for the next start', async (t) => {
  const { requests, broadcasts } = await opened(() => new NodewrightError('UNAVAILABLE', 'away'));
  await requests.add(notice());
  await requests.close();
  t.is((await broadcasts.find({})).length, 1);
});

test('a node with a full mailbox does not delay a broadcast', async (t) => {
  const full = new NodewrightError('MAILBOX_FULL', 'full');
  const { requests, outcome, gone } = await opened((node) => (node === 'a' ? full : undefined));
  await requests.add(notice());
  await gone;
  await requests.close();
  t.deepEqual(outcome, ['notify a', 'notify b', 'notify c']);
});

test('the number of unfinished broadcasts is limited; one more is rejected and not stored', async (t) => {
  let isAway = true;
  const away = new NodewrightError('UNAVAILABLE', 'away');
  const { requests, broadcasts, outcome } = await opened(() => (isAway ? away : undefined));
  const all = await Promise.allSettled(Array.from({ length: 20 }, () => requests.add(notice())));
  t.is(all.filter(({ status }) => status === 'fulfilled').length, 5);
  const error = await t.throwsAsync(requests.add(notice()));
  t.like(error, { code: 'TOO_MANY_REQUESTS' });
  t.is((await broadcasts.find({})).length, 5);
  isAway = false;
  while ((await broadcasts.count({})) > 0) await new Promise(setImmediate);
  await t.notThrowsAsync(requests.add(notice()));
  await requests.close();
  t.true(outcome.includes('notify a'));
});

const task = loadedTask(waitNotification, 'hash of a wait', { kind: 'file', file: 'tasks.ts' });
const lookup = () => task;
const waits = graphOfList(
  {
    friendlyName: 'Waits',
    injectableName: 'Graph.Test.Waits',
    tasks: [
      { label: 'a', taskName: 'Task.Wait.Notification' },
      { label: 'b', taskName: 'Task.Wait.Notification', waitOn: { a: 'succeeded' } },
      { label: 'c', taskName: 'Task.Wait.Notification', waitOn: { b: 'succeeded' } },
      { label: 'beside', taskName: 'Task.Wait.Notification' },
    ],
  },
  { any: lookup, code: lookup },
  api,
);
const env = { now: NOW, uuid: randomUUID };

/** A node and its workflow, by pure steps. Effects wait until they are run, each in the order of its row. */
class Parked {
  readonly node = new NodeActor();
  workflow: WorkflowRow;
  readonly #ofNode: Effect[] = [];
  readonly #ofWorkflow: Effect[] = [];

  constructor() {
    this.node.send({ type: 'launch', start: start('W') });
    this.workflow = launch(start('W'), waits, env);
    this.#add(this.#ofWorkflow, this.workflow.pendingEffects.at(-1)?.effects ?? []);
    this.runAll();
  }

  #add(to: Effect[], effects: readonly Effect[]): void {
    to.push(...effects.filter(({ kind }) => kind.startsWith('send-to')));
  }

  send(message: NodeMessage): void {
    this.#add(this.#ofNode, this.node.send(message));
  }

  take(message: Extract<Effect, { kind: 'send-to-workflow' }>['message']): boolean {
    const { changed, row, replies } = step({ ...this.workflow, pendingEffects: [] }, waits, message, env);
    if (changed) this.workflow = row;
    for (const reply of replies) if (reply.kind === 'send-to-node') this.send(reply.message);
    this.#add(this.#ofWorkflow, changed ? (row.pendingEffects.at(-1)?.effects ?? []) : []);
    return changed;
  }

  run(isOfNode: boolean): void {
    const effect = (isOfNode ? this.#ofNode : this.#ofWorkflow).shift();
    if (effect?.kind === 'send-to-node') this.send(effect.message);
    if (effect?.kind === 'send-to-workflow') this.take(effect.message);
  }

  runAll(): void {
    while (this.#ofNode.length + this.#ofWorkflow.length > 0) this.run(this.#ofNode.length > 0);
  }

  /** The notifications that the waits have received. */
  get received(): unknown[] {
    return this.workflow.tasks.flatMap(({ output }) => (output === null ? [] : [(output as { id: string }).id]));
  }
}

const away = () => new NodewrightError('UNAVAILABLE', 'the process has died');

/** A process that delivers what is stored, and dies with a call of it. @param call undefined: none */
async function deliver(parked: Parked, stored: Collection<Broadcast>, call?: { n: number; isAfter: boolean }) {
  const actors = await new MemoryStore().collection<NodeRow>(actorSpec);
  await actors.insert({ ...parked.node.row, workflow: 'W' });
  let calls = 0;
  const over = deferred();
  const dying = <T>(act: () => T): T => {
    const [isLast, isDead] = [calls === call?.n, calls > (call?.n ?? calls)];
    calls += 1;
    if (isDead || (isLast && !call?.isAfter)) throw away();
    const result = act();
    if (isLast) throw away();
    return result;
  };
  const process = new Broadcasts(
    {
      send: {
        async node(_: string, message: NodeMessage) {
          dying(() => parked.send(message));
        },
      } as unknown as Sender,
      records: {
        storedNodes: actors,
        nodes: { readAhead: async () => {} },
        workflows: { readAhead: async () => {} },
      },
    },
    stored,
    5,
    () => over.resolve(),
  );
  await process.resume();
  await Promise.race([
    over.promise,
    (async () => {
      while ((await stored.count({})) > 0) await new Promise(setImmediate);
    })(),
  ]);
  await process.close();
}

test('one wait receives a broadcast once, whenever its process dies, and in any order of effects', async (t) => {
  const deaths = fc.array(fc.record({ n: fc.nat(2), isAfter: fc.boolean() }), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      deaths,
      fc.array(fc.array(fc.boolean(), { maxLength: 4 }), { minLength: 4, maxLength: 4 }),
      fc.nat(4),
      async (all, orders, other) => {
        const parked = new Parked();
        const stored = await new MemoryStore().collection<Broadcast>(broadcastSpec);
        await stored.insert(notice('broadcast'));
        for (const [n, death] of [...all, undefined].entries()) {
          if (n === other) parked.send({ type: 'notify', id: 'own', at, parameters: { id: 'own' } });
          await deliver(parked, stored, death);
          for (const isOfNode of orders[n] ?? []) parked.run(isOfNode);
        }
        parked.runAll();
        t.is(await stored.count({}), 0);
        const expected = other <= all.length ? ['broadcast', 'own'] : ['broadcast'];
        t.deepEqual(parked.received.toSorted(), expected, JSON.stringify({ all, orders, other }));
        t.deepEqual(contextOf(parked.node.row).queued, []);
      },
    ),
    { numRuns: 300 },
  );
});
