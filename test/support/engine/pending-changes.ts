/** Every kind of change that has pending events, each on records of its own. */
import { randomUUID } from 'node:crypto';
import { Polls } from '../../../engine/inventory/pollers/poll.ts';
import type { StoredPoller } from '../../../engine/inventory/pollers/stored-poller.ts';
import type { SkuProcess } from './sku-process.ts';

/** Records that a change is about, by a name. */
export type Ids = Record<string, string>;

export interface PendingChange {
  prepare(process: SkuProcess): Promise<Ids>;
  run(process: SkuProcess, ids: Ids): Promise<unknown>;
  /** Whether the change was saved. */
  isSaved(process: SkuProcess, ids: Ids): Promise<boolean>;
  /** Its events, `action typeId`. */
  events(ids: Ids): string[];
  /** Number of events that each line of `events` means; absent: one. */
  count?(process: SkuProcess, ids: Ids): Promise<number>;
}

const ENTRIES = 250;
/** Nodes of one request. */
const LISTED = 3;
/** Number of the entries that one write saves. */
const PART = 200;

const node = async ({ nodes }: SkuProcess, more: object = {}) =>
  (await nodes.create({ type: 'compute', name: randomUUID(), ...more })).id;

const kind = () => `kind ${randomUUID()}`;

const mark = (entries: number) => ({ entries, added: 'now', cleared: 'never', last: null });

const entriesIn = (poller: StoredPoller | undefined): number => {
  const read = poller?.mark ?? null;
  return read !== null && 'entries' in read ? read.entries : 0;
};

/** Polls a log of `ENTRIES` entries, which takes more than one write. */
const pollLog = ({ storedPollers, pendingAlerts, publisher, health }: SkuProcess, poller: string) =>
  new Polls({
    stored: storedPollers,
    pending: pendingAlerts,
    publisher,
    obms: {
      logOf: async (_, read) => ({
        entries: Array.from({ length: ENTRIES - (read?.entries ?? 0) }, (_, n) => ({ 'SEL Record ID': `${n}` })),
        mark: mark(ENTRIES),
      }),
      addressesOf: async () => [],
      redfish: () => Promise.reject(new Error('no poller of Redfish')),
    },
    readings: { read: async () => ({ host: '', node: null, timestamp: '' }) },
    data: { add: async () => {}, forget: async () => {} },
    holds: { blocksOn: async () => new Set() },
    health,
    power: { note: async () => {} },
  }).poll(poller, new AbortController().signal);

export const pendingChanges: Record<string, PendingChange> = {
  'a node that is created': {
    prepare: async () => ({ name: randomUUID() }),
    run: ({ nodes }, { name = '' }) => nodes.create({ type: 'compute', name }),
    isSaved: async ({ stored }, { name }) => (await stored.count({ name })) > 0,
    events: () => ['added'],
  },
  'a list of nodes that is created': {
    prepare: async (process) => ({ name: randomUUID(), rack: await node(process) }),
    run: ({ nodes }, { name = '', rack = '' }) =>
      nodes.createAll(
        Array.from({ length: LISTED }, () => ({
          type: 'compute',
          name,
          obms: [{ service: 'noop-obm-service' }],
          relations: [{ relationType: 'containedBy', targets: [rack] }],
        })),
      ),
    isSaved: async ({ stored }, { name }) => (await stored.count({ name })) > 0,
    events: () => ['added'],
    count: async () => LISTED,
  },
  'a node that is changed': {
    prepare: async (process) => ({ id: await node(process) }),
    run: ({ nodes }, { id = '' }) => nodes.update(id, { name: 'changed' }),
    isSaved: async ({ stored }, { id }) => (await stored.count({ id, name: 'changed' })) > 0,
    events: ({ id }) => [`updated ${id}`],
  },
  'a node that is removed': {
    prepare: async (process) => {
      const [id, part] = [await node(process), await node(process)];
      await process.nodes.relate(id, { contains: [part] });
      return { id, part };
    },
    run: ({ nodes }, { id = '' }) => nodes.remove(id),
    isSaved: async ({ stored }, { id }) => (await stored.count({ id })) === 0,
    events: ({ id, part }) => [`removed ${id}`, `updated ${part}`],
  },
  'a tag that is removed from all nodes': {
    prepare: async (process) => {
      const tag = randomUUID();
      return { id: await node(process, { tags: [tag] }), other: await node(process, { tags: [tag] }), tag };
    },
    run: ({ nodes }, { tag = '' }) => nodes.untagAll(tag),
    isSaved: async ({ stored }, { tag }) => (await stored.count({ tags: tag })) === 0,
    events: ({ id, other }) => [`updated ${id}`, `updated ${other}`],
  },
  'a relation that is added': {
    prepare: async (process) => ({ id: await node(process), part: await node(process) }),
    run: ({ nodes }, { id = '', part = '' }) => nodes.relate(id, { contains: [part] }),
    isSaved: async ({ nodes }, { id = '' }) => ((await nodes.find(id))?.relations.length ?? 0) > 0,
    events: ({ id, part }) => [`updated ${id}`, `updated ${part}`],
  },
  'a relation that is removed': {
    prepare: async (process) => {
      const [id, part] = [await node(process), await node(process)];
      await process.nodes.relate(id, { contains: [part] });
      return { id, part };
    },
    run: ({ nodes }, { id = '', part = '' }) => nodes.unrelate(id, { contains: [part] }),
    isSaved: async ({ nodes }, { id = '' }) => (await nodes.find(id))?.relations.length === 0,
    events: ({ id, part }) => [`updated ${id}`, `updated ${part}`],
  },
  'an obm that is put': {
    prepare: async (process) => ({ id: await node(process) }),
    run: ({ obms }, { id = '' }) => obms.put(id, { service: 'noop-obm-service' }),
    isSaved: async ({ obms }, { id = '' }) => (await obms.refs([id])).size > 0,
    events: ({ id }) => [`obms.updated ${id}`],
  },
  'an obm that is removed': {
    prepare: async (process) => {
      const id = await node(process);
      return { id, obm: (await process.obms.put(id, { service: 'noop-obm-service' })).id };
    },
    run: ({ obms }, { obm = '' }) => obms.remove(obm),
    isSaved: async ({ obms }, { obm = '' }) => (await obms.get(obm)) === undefined,
    events: ({ id }) => [`obms.updated ${id}`],
  },
  'a node that gets another SKU': {
    prepare: async (process) => {
      const name = kind();
      const sku = (await process.skus.create({ name, rules: [{ path: 'dmi.kind', equals: name }] })).id;
      return { id: await node(process), name, sku };
    },
    run: ({ catalogs }, { id = '', name }) => catalogs.add(id, 'dmi', { kind: name }),
    isSaved: async (process, { id = '', sku }) => (await process.skuOf(id)) === sku,
    events: ({ id }) => [`sku.assigned ${id}`],
  },
  'a hold that is added': {
    prepare: async (process) => ({ id: await node(process) }),
    run: ({ holds }, { id = '' }) => holds.add(id, { kind: 'repair', reason: 'a fan' }),
    isSaved: async ({ holds }, { id = '' }) => (await holds.kindsOn([id])).size > 0,
    events: ({ id }) => [`hold.added ${id}`],
  },
  'a hold that is removed': {
    prepare: async (process) => {
      const id = await node(process);
      return { id, hold: (await process.holds.add(id, { kind: 'repair', reason: 'a fan' })).id };
    },
    run: ({ holds }, { id = '', hold = '' }) => holds.remove(id, hold),
    isSaved: async ({ holds }, { id = '' }) => (await holds.kindsOn([id])).size === 0,
    events: ({ id }) => [`hold.removed ${id}`],
  },
  'a hold that has ended': {
    prepare: async (process) => {
      const id = await node(process);
      const { id: hold } = await process.holds.add(id, { kind: 'repair', reason: 'a fan' });
      await process.storedHolds.update({ id: hold }, { $set: { until: '2020-01-01T00:00:00.000Z' } });
      return { id, hold };
    },
    run: ({ holds }) => holds.removeEnded(async () => true),
    isSaved: async ({ storedHolds }, { hold = '' }) => (await storedHolds.get(hold)) === undefined,
    events: ({ id }) => [`hold.removed ${id}`],
  },
  'a node whose health changes': {
    prepare: async (process) => ({ id: await node(process) }),
    run: ({ health }, { id = '' }) => health.put(id, 'rack', { state: 'critical' }),
    isSaved: async ({ health }, { id = '' }) => (await health.of(id))?.state === 'critical',
    events: ({ id }) => [`health.changed ${id}`],
  },
  'a report on the health of a node that has ended': {
    prepare: async (process) => {
      const id = await node(process);
      const report = { state: 'critical', message: 'too warm', until: '2020-01-01T00:00:00.000Z' } as const;
      await process.health.report({ node: id, changes: [{ source: 'log', key: 'a sensor', report }] });
      return { id };
    },
    run: ({ health }) => health.removeEnded(async () => true),
    isSaved: async ({ stored }, { id }) => (await stored.count({ id, 'healthRecord.state': 'unknown' })) > 0,
    events: ({ id }) => [`health.changed ${id}`],
  },
  'an event log that is read': {
    prepare: async (process) => {
      const id = await node(process);
      return { id, poller: (await process.pollers.create({ type: 'ipmi', node: id })).id };
    },
    run: (process, { poller = '' }) => pollLog(process, poller),
    isSaved: async ({ storedPollers }, { poller = '' }) => entriesIn(await storedPollers.get(poller)) > 0,
    events: ({ poller }) => [`sel.updated ${poller}`],
    count: async ({ storedPollers }, { poller = '' }) => entriesIn(await storedPollers.get(poller)),
  },
  'a poller that is removed with events of an outage': {
    prepare: async (process) => {
      const id = await node(process);
      const { id: poller } = await process.pollers.create({ type: 'ipmi', node: id });
      await pollLog({ ...process, publisher: { publish: async () => false } } as unknown as SkuProcess, poller);
      return { id, poller };
    },
    run: ({ pollers }, { poller = '' }) => pollers.remove(poller),
    isSaved: async ({ storedPollers }, { poller = '' }) => (await storedPollers.get(poller)) === undefined,
    events: ({ poller }) => [`sel.updated ${poller}`],
    count: async () => PART,
  },
};
