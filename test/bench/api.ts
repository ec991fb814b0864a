/**
 * The API on a large store: 10,000 nodes and 100,000 workflows. One client, sequential requests, compared with a bare
 * Koa route that reads one document of the same kind from the same kind of store.
 */
import { join } from 'node:path';
import { workflowSpec } from '../../engine/durable/live/specs.ts';
import type { WorkflowRow } from '../../engine/durable/step/row.ts';
import { nodeSpec, type StoredNode } from '../../engine/inventory/nodes/stored-node.ts';
import { openEmbeddedStore } from '../../engine/platform/store/embedded.ts';
import { copies } from './copies.ts';
import { type BenchDaemon, startDaemon } from './daemon.ts';
import { type Figure, type Line, most, spread } from './figure.ts';

const NODES = 10_000;
const WORKFLOWS = 100_000;
const RUNS = 1_000;
const LISTS = 200;
const WARM_UP = 100;
const GRAPH = 'Graph.noop-example';
const PAGES = ['list of 100 nodes', 'list of the last 100 workflows'];
const PAGE_CPU_MS = most(10);
/** A request alone: its latency is at least the time that it takes from the main thread. */
const PAGE_MS = most(50);
const FINISHED = 'nodewright_workflows_finished_total{graph="Graph.noop-example",status="succeeded",code=""}';

export const api: Figure = async (place) => {
  const folder = place.folder('api');
  const ids = await fill(folder);
  const pick = () => ids[Math.floor(Math.random() * ids.length)] as string;
  const bare = await startDaemon(folder, 1, {}, ['--import=tsx', 'test/bench/bare-route.ts', join(folder, 'data')]);
  const bareNode = await measure(RUNS, () => bare.get(`/nodes/${pick()}`));
  await bare.stop();
  const daemon = await startDaemon(folder);
  const node = await measure(RUNS, () => daemon.get(`/nodes/${pick()}`));
  const lists: Line[] = [];
  for (const [name, path] of paths(ids)) {
    const before = daemon.cpuSec;
    const millis = await measure(LISTS, () => daemon.get(path()));
    const cpuMs = ((daemon.cpuSec - before) * 1_000) / (WARM_UP + LISTS);
    const [p50, p99] = spread(name, millis) as [Line, Line];
    const isPage = PAGES.includes(name);
    lists.push(p50, { ...p99, ...(isPage && { goal: PAGE_MS }) });
    lists.push({ name: `${name}, CPU`, value: cpuMs, unit: 'ms', ...(isPage && { goal: PAGE_CPU_MS }) });
  }
  const starts = await measure(LISTS, () => daemon.post('/workflows', { name: GRAPH }));
  await daemon.stop();
  return [
    ...spread('bare Koa, one document', bareNode),
    ...spread('GET one node', node),
    ...lists,
    ...spread('start of a workflow', starts),
  ];
};

/** Requests that operators and programs make all the time. */
function paths(ids: readonly string[]): [name: string, path: () => string][] {
  // The first node has all workflows.
  const some = () => 1 + Math.floor(Math.random() * (NODES - 200));
  const since = new Date(Date.now() - 3_600_000).toISOString();
  return [
    ['list of 100 nodes', () => `/nodes?$top=100&$skip=${some()}`],
    ['100 nodes, two fields', () => `/nodes?$top=100&$skip=${some()}&fields=name,sku`],
    ['nodes by the begin of a name', () => `/nodes?$top=100&$skip=${some()}&name.prefix=no`],
    ['busy nodes', () => '/nodes?$top=100&busy=true'],
    ['nodes that are not busy', () => `/nodes?$top=100&$skip=${some()}&busy=false`],
    ['list of the last 100 workflows', () => '/workflows?$top=100&status=succeeded&sort=-createdAt'],
    ['workflows of an hour', () => `/workflows?$top=100&createdAt.gte=${since}&status=failed,cancelled`],
    ['stuck workflows', () => '/workflows?stuck=true'],
    ['why a node waits', () => `/nodes/${ids[some() % ids.length]}/why`],
    ['100 events', () => '/events?limit=100'],
    ['summary', () => '/summary'],
  ];
}

/** Returns the ids of the nodes. */
async function fill(folder: string): Promise<string[]> {
  const daemon = await startDaemon(folder);
  const node = (await daemon.post('/nodes', { type: 'compute', name: 'node' })).id as string;
  const workflow = await runOne(daemon, node);
  await daemon.stop();
  const store = await openEmbeddedStore({ dataDir: join(folder, 'data') });
  try {
    const nodes = await store.collection<StoredNode>(nodeSpec);
    const workflows = await store.collection<WorkflowRow>(workflowSpec);
    const ids = await copies(nodes, node, NODES);
    await copies(workflows, workflow, WORKFLOWS);
    return ids;
  } finally {
    await store.close();
  }
}

async function runOne(daemon: BenchDaemon, node: string): Promise<string> {
  const { id } = await daemon.post(`/nodes/${node}/workflows`, { name: GRAPH });
  await daemon.reaches(FINISHED, 1);
  return id as string;
}

/** Returns the ms of each run after the warm-up. */
async function measure(runs: number, run: () => Promise<unknown>): Promise<number[]> {
  const millis: number[] = [];
  for (let at = 0; at < WARM_UP + runs; at++) {
    const start = performance.now();
    await run();
    millis.push(performance.now() - start);
  }
  return millis.slice(WARM_UP);
}
