/**
 * The regeneration of SKUs: every node has five catalogs, and 100 SKUs use all of them. For comparison, on the same
 * database, the time to only read the catalogs: in storage order, and for a few nodes at a time, as the regeneration
 * does. Number of nodes: `BENCH_NODES`.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { NewSku, SkuRule } from '../../engine/api-port/index.ts';
import {
  CatalogRequests,
  catalogSpec,
  type LatestCatalog,
  latestSpec,
  type StoredCatalog,
} from '../../engine/inventory/nodes/catalogs.ts';
import { nodeSpec, type StoredNode } from '../../engine/inventory/nodes/stored-node.ts';
import { localChannels } from '../../engine/platform/queue/channel.ts';
import { openEmbeddedStore } from '../../engine/platform/store/embedded.ts';
import { pages } from '../../engine/platform/store/pages.ts';
import type { Store } from '../../engine/platform/store/port.ts';
import type { EventPayload, Publication } from '../../engine/vocabulary/event.ts';
import { OwnScope } from '../support/ava/scope.ts';
import { openSkuProcess } from '../support/engine/sku-process.ts';
import { type Figure, type Line, median, most } from './figure.ts';
import { seconds } from './resident.ts';

const NODES = Number(process.env.BENCH_NODES ?? 10_000);
const SKUS = 100;
/** Every tenth SKU also has a regular expression. */
const WITH_EXPRESSION = 10;
const SOURCES = ['dmi', 'ohai', 'bmc', 'ipmi-fru', 'lsscsi'];
/** Each has two regenerations that change every node, and two that change none. */
const ROUNDS = 3;
const AT_ONCE = 500;
/** Number of nodes whose catalogs the regeneration holds in memory at the same time. */
const GROUP = 20;
/** Parts of a catalog: about 3 KiB, most of it not used by any rule. */
const PARTS = 24;

export const skus: Figure = async (place) => {
  const store = await openEmbeddedStore({ dataDir: join(place.folder('skus'), 'data') });
  const life = new OwnScope();
  try {
    const channel = localChannels(() => {}).channel<null>('skus');
    const fillSec = await seconds(() => fill(store));
    const lies = await seconds(() => readAsTheyLie(store));
    const groups = await seconds(() => readInGroups(store));
    let through = () => {};
    const publish = async (publications: readonly Publication[]) => {
      if (publications.some(({ body }) => isThrough(body as EventPayload))) through();
    };
    const { skus } = await openSkuProcess(life, { store, channel, publish });
    let last = '';
    for (let n = 0; n < SKUS; n += 1) last = (await skus.create(skuOf(n))).id;
    /** From the start of the reconcile loop. */
    const regeneration = (begin: () => Promise<unknown>) =>
      seconds(async () => {
        const done = new Promise<void>((resolve) => {
          through = resolve;
        });
        await begin();
        await done;
      });
    const first = await regeneration(() => openSkuProcess(life, { store, channel, publish, everyMs: 1_000 }));
    const [moving, staying]: [number[], number[]] = [[first], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      staying.push(await regeneration(() => skus.update(last, { discoveryGraphName: `Graph.Other${round}` })));
      moving.push(await regeneration(async () => (last = (await skus.create(everyNodes)).id)));
      staying.push(await regeneration(() => skus.update(last, { discoveryGraphName: 'Graph.Other' })));
      moving.push(await regeneration(() => skus.remove(last)));
      last = (await skus.list({ skip: 0, limit: 1, filter: {} })).items[0]?.id ?? '';
    }
    const [moved, still] = [median(moving), median(staying)];
    return [
      took(`making ${NODES} nodes with ${SOURCES.length} catalogs each`, fillSec),
      took('reading the catalogs in storage order', lies),
      took('reading them a few nodes at a time', groups),
      took('regeneration that changes every node', moved),
      took('regeneration that changes no node', still),
      { name: 'SQLite: every node changes, beside none', value: moved / still, unit: 'x', goal: most(2.5) },
      { name: 'none changes, beside reading in storage order', value: still / lies, unit: 'x' },
      { name: 'none changes, beside reading a few at a time', value: still / groups, unit: 'x' },
    ];
  } finally {
    await life.close();
    await store.close();
  }
};

const took = (name: string, value: number): Line => ({ name, value, unit: 's' });

const isThrough = ({ action, data }: EventPayload): boolean =>
  action === 'skus.progress.updated' && data.status === 'succeeded';

/** Preferred to all others, because it has more rules. */
const everyNodes: NewSku = {
  name: 'every node',
  rules: Array.from({ length: 10 }, (_, n) => ({ path: 'ohai.model', notIn: [`none ${n}`] })),
};

/** Each SKU matches its share of the nodes, selected only by its last rule. */
function skuOf(n: number): NewSku {
  const rules: SkuRule[] = [
    { path: 'dmi.System Information.Manufacturer', contains: 'Quanta' },
    { path: 'bmc.Set in Progress', equals: 'Set Complete' },
    { path: 'ipmi-fru.Builtin FRU Device (ID 0).Board Mfg', in: ['Quanta', 'DELL'] },
    { path: 'lsscsi.disks', min: 1 },
  ];
  if (n % WITH_EXPRESSION === 0) rules.push({ path: 'ohai.model', regex: `^D51B-.*${n}$` });
  return { name: `sku ${n}`, rules: [...rules, { path: 'ohai.model', equals: `D51B-${n}` }] };
}

function catalogOf(source: string, n: number): Record<string, unknown> {
  const parts = Array.from({ length: PARTS }, (_, part) => ({ part, serial: randomUUID(), text: 'x'.repeat(60) }));
  return {
    'System Information': { Manufacturer: 'Quanta Computer Inc' },
    'Set in Progress': 'Set Complete',
    'Builtin FRU Device (ID 0)': { 'Board Mfg': 'Quanta' },
    disks: '4',
    model: `D51B-${n % SKUS}`,
    source,
    parts,
  };
}

async function fill(store: Store): Promise<void> {
  const nodes = await store.collection<StoredNode>(nodeSpec);
  const catalogs = await store.collection<StoredCatalog>(catalogSpec);
  const latest = await store.collection<LatestCatalog>(latestSpec);
  const times = { createdAt: new Date().toISOString(), updatedAt: new Date().toISOString() };
  const none = { identifiers: [], tags: [], autoDiscover: false, catalogs: [], workflows: [], sku: null };
  for (let from = 0; from < NODES; from += AT_ONCE) {
    const group = Array.from({ length: Math.min(AT_ONCE, NODES - from) }, (_, at) => ({
      id: randomUUID(),
      type: 'compute' as const,
      name: `node ${from + at}`,
      ...none,
      ...times,
    }));
    await nodes.insertMissing(group);
    for (const source of SOURCES) {
      const made = group.map(({ id: node }, at) => {
        const series = `${node} ${source}`;
        const own = { id: randomUUID(), series, number: 1, node, source, knownBy: 'operator' as const };
        return { ...own, data: catalogOf(source, from + at), ...times };
      });
      await catalogs.insertMissing(made);
      await latest.insertMissing(
        made.map(({ id, series, node }) => ({
          id: series,
          version: 1,
          sizes: [],
          node,
          source,
          catalog: id,
          pending: false,
          ...times,
        })),
      );
    }
  }
}

async function readAsTheyLie(store: Store): Promise<void> {
  for await (const _ of pages(await store.collection<StoredCatalog>(catalogSpec), {}));
}

const everyNode = async (ids: readonly string[]) => new Set(ids);

async function readInGroups(store: Store): Promise<void> {
  const stored = await store.collection<StoredCatalog>(catalogSpec);
  const catalogs = new CatalogRequests(
    stored,
    await store.collection<LatestCatalog>(latestSpec),
    everyNode,
    async () => {},
  );
  let group: string[] = [];
  for await (const { id } of pages(await store.collection<StoredNode>(nodeSpec), {})) {
    group.push(id);
    if (group.length < GROUP) continue;
    await catalogs.dataOf(group, SOURCES);
    group = [];
  }
  await catalogs.dataOf(group, SOURCES);
}
