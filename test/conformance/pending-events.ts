/** Rules of pending events on every store: no event of a saved change is lost, wherever its process dies. */
import type { ExecutionContext } from 'ava';
import { tombstoneSpec } from '../../engine/events/outbox/tombstones.ts';
import { holdSpec } from '../../engine/inventory/holds/stored-hold.ts';
import { catalogSpec, latestSpec } from '../../engine/inventory/nodes/catalogs.ts';
import { obmSpec } from '../../engine/inventory/nodes/obm-requests.ts';
import { relationSpec } from '../../engine/inventory/nodes/relations.ts';
import { nodeSpec } from '../../engine/inventory/nodes/stored-node.ts';
import { pollerSpec } from '../../engine/inventory/pollers/stored-poller.ts';
import { regenerationSpec } from '../../engine/inventory/skus/generation.ts';
import { skuSpec } from '../../engine/inventory/skus/stored-sku.ts';
import { localChannels } from '../../engine/platform/queue/channel.ts';
import type { Channel } from '../../engine/platform/queue/port.ts';
import type { CollectionSpec, Store } from '../../engine/platform/store/port.ts';
import type { ListedEvent } from '../../engine/vocabulary/event.ts';
import { OwnScope } from '../support/ava/scope.ts';
import { type Ids, type PendingChange, pendingChanges } from '../support/engine/pending-changes.ts';
import { openSkuProcess, type SkuProcess } from '../support/engine/sku-process.ts';
import { Life, type Moment } from '../support/faults/dying-store.ts';

type Declare = (title: string, implementation: (t: ExecutionContext) => Promise<unknown>) => void;

/** More calls than any change makes. */
const CALLS = 60;

const noting = [nodeSpec, obmSpec, relationSpec, pollerSpec, holdSpec];
const all: CollectionSpec[] = [...noting, tombstoneSpec, catalogSpec, latestSpec, skuSpec, regenerationSpec];

/** The pending events that are stored. */
export async function stillPending(store: Store): Promise<unknown[]> {
  const documents = noting.map(async (spec) => (await store.collection(spec)).find({ pendingCount: { $gt: 0 } }));
  const tombstones = (await store.collection(tombstoneSpec)).find({ published: false });
  return (await Promise.all([...documents, tombstones])).flat();
}

const lineOf = ({ action, typeId }: ListedEvent) => `${action} ${typeId}`;

/** Checks the events of one change. @param published all events, by any process */
export async function checkEvents(
  t: ExecutionContext,
  change: PendingChange,
  process: SkuProcess,
  ids: Ids,
  published: readonly ListedEvent[],
  at: string,
): Promise<void> {
  const isSaved = await change.isSaved(process, ids);
  const expected = (await change.count?.(process, ids)) ?? 1;
  for (const wanted of change.events(ids)) {
    const found = published.filter((event) => lineOf(event).startsWith(wanted));
    const distinct = new Set(found.map(({ id }) => id)).size;
    if (isSaved) t.is(distinct, expected, `${at}: ${wanted}`);
    else t.true(distinct <= expected, `${at}: ${wanted} has ${distinct} ids`);
  }
}

export function pendingEventConformance(test: Declare, open: () => Store): void {
  const channel = localChannels(() => {}).channel('skus') as Channel<null>;

  async function services() {
    const store = open();
    for (const spec of all) await (await store.collection(spec)).remove({});
    const published: ListedEvent[] = [];
    const publish = async (publications: readonly { body: unknown }[]) =>
      void published.push(...publications.map(({ body }) => body as ListedEvent));
    const scope = new OwnScope();
    const process = (life?: Life) =>
      openSkuProcess(scope, {
        store: life === undefined ? store : life.store(store),
        channel,
        publish: (publications) => (life ?? new Life()).call(() => publish(publications)),
      });
    return { store, scope, published, process, heir: await process() };
  }

  for (const [name, change] of Object.entries(pendingChanges)) {
    test(`${name}: its events are published once it is saved, whichever call its process dies at`, async (t) => {
      const { store, scope, published, process, heir } = await services();
      let [calls, died] = [0, 0];
      for (const moment of ['before', 'after'] satisfies Moment[]) {
        for (calls = 0; calls < CALLS; calls += 1) {
          const ids = await change.prepare(heir);
          await heir.publisher.close();
          published.length = 0;
          const life = new Life();
          const dying = await process(life);
          life.dieAfter(calls, moment);
          await change.run(dying, ids).catch(() => {});
          await dying.publisher.close();
          await heir.publisher.sweep(0);
          await heir.publisher.close();
          const at = `${moment} call ${calls}`;
          await checkEvents(t, change, heir, ids, published, at);
          t.deepEqual(await stillPending(store), [], at);
          if (!life.isDead) break;
          died += 1;
        }
      }
      t.true(died >= 4 && calls < CALLS, `it died at ${died} calls`);
      await scope.close();
    });
  }

  test('two processes that sweep at the same time delete each pending event, and count none twice', async (t) => {
    const { store, scope, published, process, heir } = await services();
    const away = await process(new Life());
    const life = new Life();
    const dying = await process(life);
    const { id } = await heir.nodes.create({ type: 'compute', name: 'n' });
    published.length = 0;
    for (let n = 0; n < 5; n += 1) {
      life.dieAfter(1, 'before');
      await dying.nodes.update(id, { name: `n${n}` }).catch(() => {});
    }
    await Promise.all([heir, away].map(({ publisher }) => publisher.sweep(0)));
    await Promise.all([heir, away].map(({ publisher }) => publisher.close()));
    t.is(new Set(published.map((event) => event.id)).size, 5);
    const stored = (await (await store.collection(nodeSpec)).get(id)) as
      | { pending?: object; pendingCount?: number }
      | undefined;
    t.deepEqual([stored?.pending, stored?.pendingCount], [{}, 0]);
    await scope.close();
  });

  test('while nothing can be published the events are kept, and published in their order afterwards', async (t) => {
    const { scope, published, process, heir } = await services();
    const { id } = await heir.nodes.create({ type: 'compute', name: 'n' });
    published.length = 0;
    const life = new Life();
    const cut = await openSkuProcess(scope, { store: open(), channel, publish: () => life.call(async () => {}) });
    life.dieAfter(0, 'before');
    await cut.nodes.update(id, { name: 'first' });
    await cut.nodes.tag(id, ['second']);
    t.is(cut.errors.length, 2);
    await heir.publisher.sweep(60_000);
    t.deepEqual(published, [], 'a young event is still being published by its own process');
    await (await process()).publisher.sweep(0);
    t.deepEqual(published.map(lineOf), [`updated ${id}`, `updated ${id}`]);
    t.true((published[0] as ListedEvent).createdAt <= (published[1] as ListedEvent).createdAt);
    await scope.close();
  });

  test('a tombstone of documents that were not deleted is dropped, and publishes nothing', async (t) => {
    const { store, scope, published, heir } = await services();
    const { id } = await heir.nodes.create({ type: 'compute', name: 'n' });
    published.length = 0;
    const { createdAt } = (await heir.stored.get(id)) as unknown as { createdAt: string };
    const going = [{ document: id, born: createdAt, notes: [{ id: 'e', action: 'removed', node: id, at: createdAt }] }];
    await (await store.collection(tombstoneSpec)).insert({
      id: 't',
      of: 'nodes',
      going,
      at: createdAt,
      published: false,
    } as {
      id: string;
    });
    await heir.publisher.sweep(0);
    await heir.publisher.close();
    t.deepEqual(published, []);
    t.deepEqual(await stillPending(store), []);
    await scope.close();
  });
}
