/** Launches the work of a demo, each part once its machine is discovered. A start that finds it launched repeats nothing. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { GetAnswer } from '../../client/requests.ts';
import { ApiError } from '../api-error.ts';
import type { Client } from '../client.ts';
import { demoRollout, demoWork } from './demo-site.ts';

type Node = GetAnswer<'/nodes'>[number];

const LOOK_MS = 1_000;
const ROLLOUT_RACK = 'r02';

/** Ends when all is launched, or with the signal. @throws ApiError for a launch that is rejected */
export async function launchStory(client: Client, south: string, signal: AbortSignal): Promise<void> {
  const waitingWork = new Set(demoWork(south));
  let isRolloutLeft = true;
  while (waitingWork.size > 0 || isRolloutLeft) {
    const nodes = await readyNodes(client);
    for (const work of waitingWork) {
      const node = nodes.find(({ name }) => name === work.machine);
      if (node === undefined) continue;
      if (!(await hasRun(client, node.id, work.graph))) await launch(client, node.id, work);
      waitingWork.delete(work);
    }
    const rack = nodes.filter(({ name }) => name.startsWith(ROLLOUT_RACK));
    if (isRolloutLeft && rack.length === MACHINES_PER_RACK) {
      await beginRollout(client, demoRollout(south), rack);
      isRolloutLeft = false;
    }
    await sleep(LOOK_MS, undefined, { signal, ref: false });
  }
}

const MACHINES_PER_RACK = 20;

/** Discovered, classified and free. */
async function readyNodes(client: Client): Promise<Node[]> {
  const query = { busy: false, type: 'compute', fields: 'name,sku,obms', $top: 1_000 };
  const { body } = await client.get('/nodes', { query });
  return (body as Node[]).filter(({ sku, obms }) => sku !== null && obms.length > 0);
}

async function hasRun(client: Client, identifier: string, graph: string): Promise<boolean> {
  const query = { fields: 'injectableName' };
  const { body } = await client.get('/nodes/:identifier/workflows', { params: { identifier }, query });
  return (body as { injectableName: string }[]).some(({ injectableName }) => injectableName === graph);
}

async function launch(
  client: Client,
  identifier: string,
  { graph, options }: ReturnType<typeof demoWork>[number],
): Promise<void> {
  try {
    await client.post('/nodes/:identifier/workflows', { params: { identifier }, body: { name: graph, options } });
  } catch (error) {
    // A user of the demo was quicker.
    if (!(error instanceof ApiError) || error.code !== 'NODE_BUSY') throw error;
  }
}

async function beginRollout(
  client: Client,
  rollout: ReturnType<typeof demoRollout>,
  nodes: readonly Node[],
): Promise<void> {
  const { name } = rollout;
  const { body } = await client.get('/rollouts', { query: { name, fields: 'name', $top: 1 } });
  if ((body as unknown[]).length > 0) return;
  await client.post('/rollouts', { body: { ...rollout, targets: { nodes: nodes.map(({ id }) => id) } } });
}
