/** Rules of SKUs on every store: nodes end with the correct SKU, although processes die. */
import { setTimeout } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import fc from 'fast-check';
import { catalogSpec, latestSpec } from '../../engine/inventory/nodes/catalogs.ts';
import { nodeSpec } from '../../engine/inventory/nodes/stored-node.ts';
import { isSkuChange } from '../../engine/inventory/skus/events.ts';
import { type Regeneration, regenerationSpec } from '../../engine/inventory/skus/generation.ts';
import { skuSpec } from '../../engine/inventory/skus/stored-sku.ts';
import { localChannels } from '../../engine/platform/queue/channel.ts';
import type { Channel } from '../../engine/platform/queue/port.ts';
import type { Store } from '../../engine/platform/store/port.ts';
import type { EventPayload } from '../../engine/vocabulary/event.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { OwnScope, type Scope } from '../support/ava/scope.ts';
import { openSkuProcess, type SkuProcess, type SkuProcessOptions } from '../support/engine/sku-process.ts';
import { once } from '../support/servers/hearing.ts';

type Declare = (title: string, implementation: (t: ExecutionContext) => Promise<unknown>) => void;

const ROUND_MS = 50;
/** Number of nodes: more than a page of the regeneration. */
const MANY = 250;

const always = [{ path: 'dmi' }];
const is = (kind: string) => [{ path: 'dmi.kind', equals: kind }];
const kind = (name: string) => ({ dmi: { kind: name } });

/** Resolves when the condition is true; effects of the reconcile loop can only be polled. */
async function until(t: ExecutionContext, holds: () => Promise<boolean>): Promise<void> {
  for (const limit = Date.now() + WAIT_MS; !(await holds()); ) {
    if (Date.now() > limit) return t.fail('timed out waiting for the condition');
    await setTimeout(20);
  }
}

const settled = async ({ stored, catalogs }: SkuProcess) =>
  (await stored.count({ skuPending: true })) === 0 && (await catalogs.unprocessedCatalogs(1)).length === 0;

/** The changes as a listener sees them. */
const chainOf = (moves: EventPayload[]) => once(moves).map(({ data }) => [data.oldSku, data.newSku]);

export function skuConformance(test: Declare, open: () => Store): void {
  async function services() {
    const store = open();
    for (const spec of [nodeSpec, catalogSpec, latestSpec, skuSpec, regenerationSpec]) {
      await (await store.collection(spec)).remove({});
    }
    const channels = localChannels(() => {});
    const process = (t: Scope, options: Partial<SkuProcessOptions> = {}) =>
      openSkuProcess(t, { store, channel: channels.channel('skus') as Channel<null>, ...options });
    return { store, process };
  }
  const regeneration = async (store: Store) =>
    (await (await store.collection<Regeneration>(regenerationSpec)).get('skus')) as Regeneration;
  /** True when there was never a SKU, or when all nodes match the latest change. */
  const done = async (store: Store) => {
    const { done, generation, changing } = (await regeneration(store)) ?? { done: 0, generation: 0, changing: [] };
    return done === generation && changing.length === 0;
  };

  test('catalogs move their node from SKU to SKU, and each move is published once', async (t) => {
    const one = await (await services()).process(t);
    const [a, b] = [
      await one.skus.create({ name: 'a', rules: is('a') }),
      await one.skus.create({ name: 'b', rules: is('b') }),
    ];
    const id = await one.node(kind('a'));
    t.is(await one.skuOf(id), a.id);
    for (const name of ['a', 'b', 'none']) await one.catalogs.add(id, 'dmi', kind(name).dmi);
    t.is(await one.skuOf(id), null);
    const moves = one.moves(id);
    t.deepEqual(
      moves.map(({ action, data }) => [action, data]),
      [
        ['sku.assigned', { nodeId: id, nodeType: 'compute', oldSku: null, newSku: a.id }],
        ['sku.updated', { nodeId: id, nodeType: 'compute', oldSku: a.id, newSku: b.id }],
        ['sku.unassigned', { nodeId: id, nodeType: 'compute', oldSku: b.id, newSku: null }],
      ],
    );
    t.is(new Set(moves.map(({ id }) => id)).size, 3);
    t.true(await settled(one));
    t.deepEqual(one.errors, []);
  });

  test('SKUs that are added, changed and removed are on all nodes that match, and on no others', async (t) => {
    const { store, process } = await services();
    const one = await process(t, { everyMs: ROUND_MS });
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await one.node(kind(n % 2 === 0 ? 'even' : 'odd')));
    const all = () => Promise.all(ids.map((id) => one.skuOf(id)));
    const even = await one.skus.create({ name: 'even', rules: is('even') });
    await until(t, () => done(store));
    t.deepEqual(await all(), [even.id, null, even.id, null, even.id]);
    const every = await one.skus.create({ name: 'every', rules: always });
    await until(t, () => done(store));
    // The older one of two with the same number of rules.
    t.deepEqual(await all(), [even.id, every.id, even.id, every.id, even.id]);
    await one.skus.update(even.id, { rules: is('odd') });
    await until(t, () => done(store));
    t.deepEqual(await all(), [every.id, even.id, every.id, even.id, every.id]);
    await one.skus.remove(every.id);
    await until(t, () => done(store));
    t.deepEqual(await all(), [null, even.id, null, even.id, null]);
    const last = one.progress().at(-1);
    t.like(last, { nodeId: null, severity: 'information' });
    t.like(last?.data, { status: 'succeeded', changed: 3, progress: { value: 5, maximum: 5, percentage: '100%' } });
    t.deepEqual(one.errors, []);
  });

  test('a move whose process died before it was published is published by another process, under the same id', async (t) => {
    const { process } = await services();
    const lost: EventPayload[] = [];
    const dying = await process(t, {
      publish: async (publications) => {
        const moves = publications.map(({ body }) => body as EventPayload).filter(isSkuChange);
        lost.push(...moves);
        if (moves.length > 0) throw new Error('dies');
      },
    });
    const sku = await dying.skus.create({ name: 'a', rules: always });
    const id = await dying.node(kind('a'));
    t.is(await dying.skuOf(id), sku.id);
    t.is(lost.length, 1);
    const heir = await process(t, { everyMs: ROUND_MS });
    await heir.told.until(() => heir.moves(id).length > 0);
    t.is(heir.moves(id)[0]?.id, lost[0]?.id);
    t.is(heir.moves(id)[0]?.createdAt, lost[0]?.createdAt);
    await until(t, () => settled(heir));
    t.is(new Set(heir.moves(id).map((event) => event.id)).size, 1);
  });

  test('a catalog of which the process died before its node was classified is used by another', async (t) => {
    const { store, process } = await services();
    const one = await process(t);
    const sku = await one.skus.create({ name: 'a', rules: is('a') });
    const id = await one.node(kind('a'));
    // The state if the daemon died right after writing the catalog.
    await (await store.collection(nodeSpec)).update({ id }, { $set: { sku: null } });
    await (await store.collection(latestSpec)).update({ node: id }, { $set: { pending: true } });
    const regenerations = await store.collection<Regeneration>(regenerationSpec);
    const { generation } = await regeneration(store);
    await regenerations.update({ id: 'skus' }, { $set: { done: generation } });
    const heir = await process(t, { everyMs: ROUND_MS });
    await until(t, async () => (await heir.skuOf(id)) === sku.id && (await settled(heir)));
    t.pass();
  });

  test('a change of SKUs without a recorded end is treated as made', async (t) => {
    const { store, process } = await services();
    const one = await process(t);
    const id = await one.node(kind('a'));
    const sku = await one.skus.create({ name: 'a', rules: is('a') });
    const regenerations = await store.collection<Regeneration>(regenerationSpec);
    const { generation } = await regeneration(store);
    await regenerations.update({ id: 'skus' }, { $set: { done: generation }, $push: { changing: 'left' } });
    await process(t, { everyMs: ROUND_MS });
    await until(t, () => done(store));
    t.is(await one.skuOf(id), sku.id);
  });

  test('a regeneration of which the process died continues where it was', async (t) => {
    const { store, process } = await services();
    const one = await process(t);
    const nodes = await store.collection<{ id: string; sku: string | null; type: string }>(nodeSpec);
    const ids = Array.from({ length: MANY }, (_, n) => `node-${String(n).padStart(4, '0')}`);
    await nodes.insertMissing(ids.map((id) => ({ id, type: 'compute', sku: 'gone' })));
    await one.skus.create({ name: 'a', rules: always });
    const { generation } = await regeneration(store);
    const half = { target: generation, cursor: ids[MANY / 2 - 1], seen: MANY / 2, changed: 7 };
    await (await store.collection(regenerationSpec)).update({ id: 'skus' }, { $set: half });
    const heir = await process(t, { everyMs: ROUND_MS });
    await until(t, () => done(store));
    // The earlier pages are recorded as processed.
    t.is(await nodes.count({ sku: 'gone' }), MANY / 2);
    t.is(await nodes.count({ sku: null }), MANY / 2);
    t.like(await regeneration(store), { seen: MANY, changed: MANY / 2 + 7 });
    const moved = once(heir.told.all.filter(({ action }) => action === 'sku.unassigned'));
    t.is(moved.length, MANY / 2);
    const shown = heir.progress().map(({ data }) => (data.progress as { percentage: string }).percentage);
    t.deepEqual(shown, ['90%', '100%']);
    t.deepEqual([heir.state?.done, heir.state?.seen], [generation, MANY]);
  });

  test('changes while it is under way begin it again, and many of them are one piece of work', async (t) => {
    const { store, process } = await services();
    const one = await process(t);
    const nodes = await store.collection<{ id: string; sku: string | null; type: string }>(nodeSpec);
    const ids = Array.from({ length: MANY }, (_, n) => `node-${String(n).padStart(4, '0')}`);
    await nodes.insertMissing(ids.map((id) => ({ id, type: 'compute', sku: 'gone' })));
    const worker = await process(t, { everyMs: ROUND_MS });
    for (let n = 0; n < 20; n += 1) await one.skus.create({ name: `sku ${n}`, rules: is(`${n}`) });
    await until(t, () => done(store));
    t.is(await nodes.count({ sku: 'gone' }), 0);
    const ended = once(worker.progress()).filter(({ data }) => data.status === 'succeeded');
    t.true(ended.length >= 1 && ended.length <= 20);
    t.is(ended.at(-1)?.data.generation, (await regeneration(store)).generation);
  });

  test('whatever two processes do at the same time, each node ends with its SKU, and its moves are a chain', async (t) => {
    const kinds = ['a', 'b', 'c'];
    const name = fc.constantFrom(...kinds);
    const act = fc.oneof(
      { weight: 3, arbitrary: fc.record({ does: fc.constant('catalog' as const), node: fc.nat(2), name }) },
      fc.record({ does: fc.constant('add' as const), node: fc.constant(0), name }),
      fc.record({ does: fc.constant('change' as const), node: fc.constant(0), name }),
      fc.record({ does: fc.constant('remove' as const), node: fc.constant(0), name }),
    );
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 12 }), async (commands) => {
        const { store, process } = await services();
        const life = new OwnScope();
        const both = [await process(life, { everyMs: ROUND_MS }), await process(life, { everyMs: ROUND_MS })] as const;
        const ids = [await both[0].node(), await both[0].node(), await both[1].node()];
        runs += 1;
        const perform = async ({ does, node, name }: (typeof commands)[number], at: number) => {
          const { skus, catalogs } = both[at % 2] as SkuProcess;
          const [some] = (await skus.list({ skip: 0, limit: 1, filter: {} })).items;
          if (does === 'catalog') await catalogs.add(ids[node] as string, 'dmi', { kind: name });
          else if (does === 'add') await skus.create({ name: `${runs} ${at}`, rules: is(name) });
          else if (some !== undefined && does === 'change') await skus.update(some.id, { rules: is(name) });
          else if (some !== undefined) await skus.remove(some.id);
        };
        await Promise.all(commands.map(perform));
        await until(t, () => done(store));
        await until(t, () => settled(both[0]));
        for (const id of ids) {
          const { sku } = await both[0].skus.explainAll(id, { skip: 0, limit: 1, filter: {} });
          t.is(await both[0].skuOf(id), sku, JSON.stringify(commands));
          const told = both.flatMap((one) => one.moves(id)).toSorted((x, y) => (x.createdAt < y.createdAt ? -1 : 1));
          t.true(isChain(chainOf(told), sku), JSON.stringify(told));
        }
        t.deepEqual(
          both.flatMap(({ errors }) => errors),
          [],
        );
        await life.close();
      }),
      { numRuns: 15 },
    );
  });
}

/** Changes within the same millisecond have no order, so the order is not checked. */
function isChain(moves: readonly unknown[][], end: string | null): boolean {
  const left = new Map<unknown, number>();
  const add = (sku: unknown, by: number) => left.set(sku, (left.get(sku) ?? 0) + by);
  for (const [from, to] of moves) {
    add(from, -1);
    add(to, 1);
  }
  // Each state is left as often as it is entered, except the first and the last.
  add(null, 1);
  add(end, -1);
  return [...left.values()].every((count) => count === 0);
}
