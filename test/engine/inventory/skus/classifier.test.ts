/** A classification that is overtaken: paused after a read that is out of date before its write. */
import test, { type ExecutionContext } from 'ava';
import { Classifier } from '../../../../engine/inventory/skus/classifier.ts';
import { Generation, type Regeneration, regenerationSpec } from '../../../../engine/inventory/skus/generation.ts';
import { SkuCache } from '../../../../engine/inventory/skus/sku-cache.ts';
import { type StoredSku, skuSpec } from '../../../../engine/inventory/skus/stored-sku.ts';
import { localChannels } from '../../../../engine/platform/queue/channel.ts';
import type { Channel } from '../../../../engine/platform/queue/port.ts';
import { NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import { deferred } from '../../../support/ava/deferred.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { openSkuProcess, type SkuProcess } from '../../../support/engine/sku-process.ts';

type Classified = ConstructorParameters<typeof Classifier>[0];

const is = (kind: string) => [{ path: 'dmi.kind', equals: kind }];

/** A process, and the classifier of another process. @param port its calls that differ from those of the first process */
async function beside(t: ExecutionContext, port: (one: SkuProcess) => Partial<Classified>) {
  const store = new MemoryStore();
  const one = await openSkuProcess(t, { store, channel: localChannels(() => {}).channel('skus') as Channel<null> });
  const generation = new Generation(await store.collection<Regeneration>(regenerationSpec), async () => {});
  const cache = new SkuCache(await store.collection<StoredSku>(skuSpec), generation);
  const { stored: nodes, catalogs, pending } = one;
  const own = {
    nodes,
    catalogs,
    pending,
    publisher: { send: async () => {} },
    moved: () => {},
    settled: async () => {},
    classified: async () => {},
    failed: (error: unknown) => t.fail(String(error)),
    ...port(one),
  };
  const make = async (name: string) => (await one.skus.create({ name, rules: is(name) })).id;
  return { one, classifier: new Classifier(own, cache, { apply: async () => {} }), make };
}

/** The other classifier pauses after its first read of catalogs until `goOn`. */
async function overtaken(t: ExecutionContext) {
  const [stands, goOn] = [deferred(), deferred()];
  let readings = 0;
  const { one, classifier, make } = await beside(t, ({ catalogs }) => ({
    catalogs: {
      latestIds: (nodes, sources) => catalogs.latestIds(nodes, sources),
      async dataIn(ids) {
        const data = await catalogs.dataIn(ids);
        readings += 1;
        if (readings > 1) return data;
        stands.resolve();
        await goOn.promise;
        return data;
      },
    },
  }));
  return { one, slow: classifier, stands: stands.promise, goOn: () => goOn.resolve(), make, readings: () => readings };
}

test('a classification that a catalog overtook corrects its result', async (t) => {
  const { one, slow, stands, goOn, make, readings } = await overtaken(t);
  const id = await one.node({ dmi: { kind: 'b' } });
  await make('b');
  const classification = slow.byId([id]);
  await stands;
  // This catalog matches no SKU, as before: a classification by it has nothing to change.
  await one.catalogs.add(id, 'dmi', { kind: 'none' });
  t.is(await one.skuOf(id), null);
  goOn();
  await classification;
  t.is(await one.skuOf(id), null);
  // The third classification finds the catalogs of the second, and does not read them.
  t.is(readings(), 2);
});

test('a classification that a change of SKUs overtook corrects its result', async (t) => {
  const { one, slow, stands, goOn, make } = await overtaken(t);
  const id = await one.node({ dmi: { kind: 'b' } });
  const sku = await make('b');
  const classification = slow.byId([id]);
  await stands;
  await one.skus.remove(sku);
  goOn();
  await classification;
  t.is(await one.skuOf(id), null);
});

test('a classification that another assignment overtook does not overwrite it', async (t) => {
  const { one, slow, stands, goOn, make } = await overtaken(t);
  const [a, b] = [await make('a'), await make('b')];
  const id = await one.node({ dmi: { kind: 'a' } });
  await one.catalogs.add(id, 'dmi', { kind: 'b' });
  t.is(await one.skuOf(id), b);
  const classification = slow.byId([id]);
  await stands;
  await one.catalogs.add(id, 'dmi', { kind: 'a' });
  goOn();
  await classification;
  t.is(await one.skuOf(id), a);
  t.deepEqual(
    one.moves(id).map(({ data }) => data.newSku),
    [a, b, a],
  );
});

test('of a page, only the nodes that a concurrent change overtook are classified again, each change counted once', async (t) => {
  const counted: string[] = [];
  const pages: number[] = [];
  let overtake = async () => {};
  const { one, classifier, make } = await beside(t, ({ pending }) => ({
    moved: (action) => void counted.push(action),
    pending: {
      async updateEach(changes) {
        pages.push(changes.length);
        await overtake();
        return pending.updateEach(changes);
      },
    },
  }));
  const ids = await Promise.all(Array.from({ length: 5 }, () => one.node({ dmi: { kind: 'b' } })));
  const sku = await make('b');
  const move = { number: 1, from: null, at: new Date().toISOString() };
  overtake = async () => {
    overtake = async () => {};
    await one.stored.update({ id: ids[2] }, { $set: { sku: 'other', skuMove: move, skuPending: false } });
  };
  await classifier.byId(ids);
  t.deepEqual(
    await Promise.all(ids.map((id) => one.skuOf(id))),
    Array.from({ length: 5 }, () => sku),
  );
  t.deepEqual(counted.toSorted(), ['assigned', 'assigned', 'assigned', 'assigned', 'updated']);
  // Five moves, of which one is overtaken; four nodes settled beside its next move; its own end.
  t.deepEqual(pages, [5, 5, 1]);
  t.is(await one.stored.count({ skuPending: true }), 0);
});

test('of equal changes that two processes save in the same millisecond, only the one that was saved is counted', async (t) => {
  const counted: string[] = [];
  let rounds = 0;
  const { one, classifier, make } = await beside(t, ({ pending }) => ({
    moved: (action) => void counted.push(action),
    pending: {
      async updateEach(changes) {
        rounds += 1;
        if (rounds > 1) return pending.updateEach(changes);
        const others = structuredClone(changes);
        for (const { update } of others) Object.assign(update.$set?.skuMove as object, { token: 'another process' });
        t.is(await pending.updateEach(others), changes.length);
        return pending.updateEach(changes);
      },
    },
  }));
  const id = await one.node({ dmi: { kind: 'b' } });
  const sku = await make('b');
  await classifier.byId([id]);
  t.is(await one.skuOf(id), sku);
  t.deepEqual(counted, []);
});

test('a node that cannot be classified is reported and stays pending, and the others of its page get their SKUs', async (t) => {
  const errors: unknown[] = [];
  const poison = new Set<string>();
  const rejection = new NodewrightError('TOO_LARGE', 'its document is full');
  const { one, classifier, make } = await beside(t, ({ pending }) => ({
    failed: (error) => void errors.push(error),
    pending: {
      async updateEach(changes) {
        if (changes.some(({ id }) => poison.has(id))) throw rejection;
        return pending.updateEach(changes);
      },
    },
  }));
  const ids = await Promise.all(Array.from({ length: 3 }, () => one.node({ dmi: { kind: 'b' } })));
  const [first = '', second = '', third = ''] = ids;
  poison.add(second);
  const sku = await make('b');
  t.deepEqual([...(await classifier.byId(ids))], [[second, rejection]]);
  t.deepEqual(errors, [rejection]);
  t.deepEqual(await Promise.all([first, third].map((id) => one.skuOf(id))), [sku, sku]);
  t.deepEqual(
    (await one.stored.find({ skuPending: true })).map(({ id }) => id),
    [second],
  );
  poison.clear();
  t.is((await classifier.byId([second])).size, 0);
  t.is(await one.skuOf(second), sku);
});

test('an error that is about no node ends the classification of all', async (t) => {
  const away = new NodewrightError('UNAVAILABLE', 'the store is away');
  let calls = 0;
  const { one, classifier, make } = await beside(t, () => ({
    pending: {
      async updateEach() {
        calls += 1;
        throw away;
      },
    },
  }));
  const ids = [await one.node({ dmi: { kind: 'b' } }), await one.node({ dmi: { kind: 'b' } })];
  await make('b');
  t.is(await t.throwsAsync(classifier.byId(ids)), away);
  t.is(calls, 1);
});
