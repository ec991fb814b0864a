/**
 * The console in a real browser, on a large store: the size of its first page, the lists of 10,000 nodes and 100,000
 * workflows, twenty tabs while many workflows run, and a graph of 500 tasks. A browser without a graphics card draws on the
 * processor that the daemon needs too.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { workflowSpec } from '../../engine/durable/live/specs.ts';
import { nodeSpec, type StoredNode } from '../../engine/inventory/nodes/stored-node.ts';
import { openEmbeddedStore } from '../../engine/platform/store/embedded.ts';
import { OwnScope } from '../support/ava/scope.ts';
import { noBrowser, openBrowser } from '../support/console/browser.ts';
import { listOfNodes, listOfWorkflows, liveTabs } from './console-lists.ts';
import { copies, copyWorkflow } from './copies.ts';
import { openEndpoints, startDaemon } from './daemon.ts';
import { type Figure, type Line, most, type Place, Skipped } from './figure.ts';

const NODES = 10_000;
const WORKFLOWS = 100_000;
/** ms between the times of two of them: a month in all. */
const APART_MS = 25_000;
/** ms for the record of the workflow that is copied. */
const RECORDED_MS = 2_000;
const TASKS = 500;
const LAYERS = 25;
const GRAPH = 'Graph.Bench.Wide';
const WAIT_MS = 60_000;

export const consolePages: Figure = async (place) => {
  if (noBrowser !== undefined) throw new Skipped(noBrowser);
  const folder = await filled(place);
  const scope = new OwnScope();
  const daemon = await startDaemon(folder, 50, { httpEndpoints: openEndpoints });
  try {
    await putGraph(`${daemon.origin}/api/current/workflows/graphs`);
    const browser = await openBrowser(scope);
    const page = await browser.newPage();
    page.setDefaultTimeout(WAIT_MS);
    return [
      ...(await firstPage(page, `${daemon.origin}/ui`)),
      ...(await listOfNodes(page, `${daemon.origin}/ui/nodes`, NODES)),
      ...(await listOfWorkflows(page, `${daemon.origin}/ui/workflows`)),
      ...(await drawnGraph(page, `${daemon.origin}/ui/graphs/${GRAPH}`)),
      ...(await liveTabs(browser, daemon)),
    ];
  } finally {
    await scope.close();
    await daemon.stop();
  }
};

async function filled(place: Place): Promise<string> {
  const folder = place.folder('console');
  const daemon = await startDaemon(folder);
  const { id } = await daemon.post('/nodes', { type: 'compute', name: 'r12s04', identifiers: ['52:54:00:00:12:04'] });
  const launched = await daemon.post(`/nodes/${id}/workflows`, { name: 'Graph.noop-example' });
  await sleep(RECORDED_MS);
  await daemon.stop();
  const store = await openEmbeddedStore({ dataDir: join(folder, 'data') });
  await copies(await store.collection<StoredNode>(nodeSpec), id as string, NODES - 1);
  await copyWorkflow(store, workflowSpec, launched.id as string, WORKFLOWS - 1, APART_MS);
  await store.close();
  return folder;
}

async function putGraph(url: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(wideGraph()) });
  if (answer.status !== 201) throw new Error(await answer.text());
}

/** Each task waits for two of the layer before. */
function wideGraph(): object {
  const width = TASKS / LAYERS;
  const label = (layer: number, place: number) => `task-${layer}-${place % width}`;
  const tasks = Array.from({ length: TASKS }, (_, index) => {
    const [layer, at] = [Math.floor(index / width), index % width];
    const waitOn = { [label(layer - 1, at)]: 'succeeded', [label(layer - 1, at + 1)]: 'succeeded' };
    return { label: label(layer, at), taskName: 'Task.noop', ...(layer > 0 && { waitOn }) };
  });
  return { friendlyName: 'Wide', injectableName: GRAPH, tasks };
}

/** Everything that is loaded before a graph is drawn. */
async function firstPage(page: Page, url: string): Promise<Line[]> {
  const start = performance.now();
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  await page.waitForSelector('.figures');
  const shownMs = performance.now() - start;
  await page.waitForSelector('.figures svg');
  const bytes = await page.evaluate(`performance.getEntriesByType('resource')
    .filter(({ name }) => name.includes('/ui/'))
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`);
  return [
    { name: 'console: first page, gzipped', value: Number(bytes) / 1_024, unit: 'KB', goal: most(120) },
    { name: 'console: first page with its figures', value: shownMs, unit: 'ms' },
  ];
}

async function drawnGraph(page: Page, url: string): Promise<Line[]> {
  const start = performance.now();
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  await page.waitForFunction(`document.querySelectorAll('svg rect').length >= ${TASKS}`);
  return [{ name: `console: a graph of ${TASKS} tasks, drawn`, value: performance.now() - start, unit: 'ms' }];
}
