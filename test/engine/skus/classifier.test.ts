/** A classification that is overtaken: paused after a read that is out of date before its write. */
import test, { type ExecutionContext } from 'ava';
import { UnsupportedPatterns } from '../../../engine/patterns/unsupported.ts';
import { localChannels } from '../../../engine/queue/channel.ts';
import type { Channel } from '../../../engine/queue/port.ts';
import { Classifier } from '../../../engine/skus/classifier.ts';
import { Generation, type Regeneration, regenerationSpec } from '../../../engine/skus/generation.ts';
import { SkuCache } from '../../../engine/skus/sku-cache.ts';
import type { SkusPort } from '../../../engine/skus/skus-port.ts';
import { type StoredSku, skuSpec } from '../../../engine/skus/stored-sku.ts';
import { deferred } from '../../support/deferred.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { openSkuProcess } from '../../support/sku-process.ts';

const is = (kind: string) => [{ path: 'dmi.kind', equals: kind }];

/** A process, and the classifier of another process, which pauses after its first read until `goOn`. */
async function overtaken(t: ExecutionContext) {
  const store = new MemoryStore();
  const one = await openSkuProcess(t, { store, channel: localChannels(() => {}).channel('skus') as Channel<null> });
  const generation = new Generation(await store.collection<Regeneration>(regenerationSpec), async () => {});
  const [stands, goOn] = [deferred(), deferred()];
  let readings = 0;
  const dataOf: SkusPort['catalogs']['dataOf'] = async (nodes, sources) => {
    const data = await one.catalogs.dataOf(nodes, sources);
    readings += 1;
    if (readings > 1) return data;
    stands.resolve();
    await goOn.promise;
    return data;
  };
  const cache = new SkuCache(await store.collection<StoredSku>(skuSpec), generation, new UnsupportedPatterns(() => {}));
  const slow = new Classifier(
    {
      nodes: one.stored,
      catalogs: { dataOf },
      pending: one.pending,
      publisher: { send: async () => {} },
      moved: () => {},
    },
    cache,
  );
  const make = async (name: string) => (await one.skus.create({ name, rules: is(name) })).id;
  return { one, slow, stands: stands.promise, goOn: () => goOn.resolve(), make, readings: () => readings };
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
  t.is(readings(), 3);
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
