/** Rules of every store for machines that register themselves, through any process. */
import type { ExecutionContext } from 'ava';
import { DiscoveryResults } from '../../engine/inventory/nodes/discovery-results.ts';
import { lookupSpec, type StoredLookup } from '../../engine/inventory/nodes/lookups.ts';
import { nodeSpec, type StoredNode } from '../../engine/inventory/nodes/stored-node.ts';
import { openSkus } from '../../engine/inventory/skus/skus.ts';
import type { ClassifiedNode } from '../../engine/inventory/skus/skus-port.ts';
import { singleNodeCluster } from '../../engine/platform/cluster/cluster.ts';
import { localChannels } from '../../engine/platform/queue/channel.ts';
import type { Store } from '../../engine/platform/store/port.ts';
import type { Publication } from '../../engine/vocabulary/event.ts';
import { DiscoveryRequests } from '../../engine/workflows/requests/discovery.ts';
import { deferred } from '../support/ava/deferred.ts';
import { openTestNodes } from '../support/engine/test-nodes.ts';

type Declare = (title: string, implementation: (t: ExecutionContext) => Promise<unknown>) => void;

const graphOf = () => ({ name: 'Graph.SKU.Discovery', options: {} });

const failed = (error: unknown) => {
  throw error;
};

export function registrationConformance(test: Declare, open: () => Store): void {
  /** Several processes on one store; `launches` lists the discoveries that they started. */
  async function services() {
    const store = open();
    for (const spec of [nodeSpec, lookupSpec]) await (await store.collection(spec)).remove({});
    const launches: string[] = [];
    const told: string[] = [];
    const process = async (launched: () => Promise<void> = async () => {}): Promise<DiscoveryRequests> => {
      const outbox = { publish: async (all: readonly Publication[]) => void told.push(...all.map(({ key }) => key)) };
      const opened = await openTestNodes({
        store,
        outbox,
        failed,
      });
      const launchOnce = async (id: string) => {
        launches.push(id);
        await launched();
      };
      const cluster = singleNodeCluster('one');
      const skus = await openSkus({
        ...opened,
        store,
        channel: localChannels(() => {}).channel('skus'),
        cluster,
        nodes: await store.collection<ClassifiedNode>(nodeSpec),
        describe: async () => {},
        tag: async () => {},
        outbox,
        moved: () => {},
        classified: async () => {},
        failed,
      });
      const { storedNodes, storedLookups } = opened;
      const results = new DiscoveryResults(storedNodes, storedLookups, skus, outbox, { error: failed });
      return new DiscoveryRequests(opened, { launchOnce }, results, cluster, graphOf, failed);
    };
    const stored = await store.collection<StoredNode>(nodeSpec);
    return {
      stored,
      launches,
      told,
      process,
      processes: await Promise.all([process(), process(), process()] as const),
    };
  }

  test('many that ask several processes at the same time for some machines get one node for each', async (t) => {
    const { stored, launches, told, processes } = await services();
    const MACHINES = 10;
    const macs = (n: number) => [`02:00:00:00:01:0${n}`, `02:00:00:00:02:0${n}`];
    const asks = Array.from({ length: MACHINES * 6 }, async (_, n) => {
      const own = macs(n % MACHINES);
      const asked = processes[n % processes.length] as DiscoveryRequests;
      return (await asked.register({ macs: n % 2 === 0 ? own : own.toReversed(), ips: [], from: '10.4.0.250' })).id;
    });
    const ids = await Promise.all(asks);
    t.is(new Set(ids).size, MACHINES);
    t.is(await stored.count({}), MACHINES);
    for (const [n, id] of ids.entries()) t.is(id, ids[n % MACHINES] as string);
    // All processes start the same workflow: its id is derived from the node.
    t.is(new Set(launches).size, MACHINES);
    t.true(launches.length <= MACHINES * processes.length, 'in one process one begins for all');
    t.is(told.filter((key) => key.startsWith('node.added.')).length, MACHINES);
    t.is(await stored.count({ toDiscover: true }), 0);
  });

  test('a machine whose discovery starts slowly is asked to retry, and the retry finds it started', async (t) => {
    const { process, launches } = await services();
    const { promise, resolve } = deferred();
    const busy = await process(() => promise);
    const early = await busy.register({ macs: ['02:00:00:00:05:01'], ips: [], from: '10.4.0.250' });
    t.true(early.isEarly);
    resolve();
    await busy.begin(early.id);
    t.like(await busy.register({ macs: ['02:00:00:00:05:01'], ips: [], from: '10.4.0.250' }), {
      id: early.id,
      isEarly: false,
    });
    t.is(launches.length, 1);
  });

  test('a lookup that named its node before the process died is made a node by the next that asks', async (t) => {
    const { stored, processes } = await services();
    const lookups = await open().collection<{ id: string; macAddress: string; node: string; ipAddress: null }>(
      lookupSpec,
    );
    await lookups.insert({ id: 'l', macAddress: '02:00:00:00:03:01', node: 'promised', ipAddress: null });
    const node = await (processes[0] as DiscoveryRequests).register({
      macs: ['02:00:00:00:03:01'],
      ips: [],
      from: '10.4.0.250',
    });
    t.is(node.id, 'promised');
    t.is(await stored.count({}), 1);
  });

  test('a MAC that was known before its node is bound to it, and one of another node stays with that', async (t) => {
    const { processes } = await services();
    const lookups = await open().collection<StoredLookup>(lookupSpec);
    const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
    const free = { macAddress: '02:00:00:00:04:01', ipAddress: null, node: null, source: 'observed' } as const;
    await lookups.insert({ id: 'free', ...free, ...times });
    const [one, two] = processes;
    const other = await two.register({ macs: ['02:00:00:00:04:09'], ips: [], from: '10.4.0.250' });
    const node = await one.register({ macs: ['02:00:00:00:04:01'], ips: ['10.4.0.1'], from: '10.4.0.250' });
    t.not(node.id, other.id);
    t.like(await lookups.get('free'), { node: node.id, ipAddress: '10.4.0.1' });
    await one.register({ macs: ['02:00:00:00:04:01', '02:00:00:00:04:09'], ips: [], from: '10.4.0.250' });
    const [kept] = await lookups.find({ macAddress: '02:00:00:00:04:09' });
    t.is(kept?.node, other.id);
  });

  test('what a user entered stays, and what was seen of it is kept beside it', async (t) => {
    const { processes } = await services();
    const lookups = await open().collection<StoredLookup>(lookupSpec);
    const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
    const entered = { macAddress: '02:00:00:00:06:01', ipAddress: '10.6.0.1', node: null, source: 'operator' } as const;
    await lookups.insert({ id: 'entered', ...entered, ...times });
    const [one, two] = processes;
    const sent = { macs: [entered.macAddress], ips: ['10.6.6.6'], from: '10.6.6.7' };
    const [{ id }, again] = await Promise.all([one.register(sent), two.register(sent)]);
    t.is(again.id, id);
    const [kept] = await lookups.find({ macAddress: entered.macAddress });
    t.like(kept, entered);
    t.like(kept?.observed, { node: id, ipAddress: '10.6.6.6', from: '10.6.6.7' });
  });

  test('a MAC that was only seen beside others makes its node known to the same sender alone', async (t) => {
    const { processes } = await services();
    const [one, two] = processes;
    const [first, second] = ['02:00:00:00:07:01', '02:00:00:00:07:02'];
    const { id } = await one.register({ macs: [first, second], ips: [], from: '10.7.0.1' });
    t.is((await two.register({ macs: [second], ips: [], from: '10.7.0.1' })).id, id);
    const other = await two.register({ macs: [second], ips: [], from: '10.7.0.2' });
    t.not(other.id, id);
    t.is((await one.register({ macs: [second, first], ips: [], from: '10.7.0.3' })).id, id, 'the first that was known');
    t.is((await one.register({ macs: [second], ips: [], from: '10.7.0.3' })).id, other.id);
  });
}
