/** Carries out the plan of a pull: racks first, then each device by itself, so that one that the daemon rejects does not keep the others. */
import pLimit from 'p-limit';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import type { PostBody } from '../../client/requests.ts';
import { ApiError, isPassing } from '../api-error.ts';
import type { Client } from '../client.ts';
import { CommandError } from '../exit-codes.ts';
import { rackIdentifier } from './device-records.ts';
import type { PlannedDevice, PullPlan } from './pull-plan.ts';
import type { PullStep } from './pull-steps.ts';

const REQUESTS_AT_A_TIME = 4;

/** @returns the devices that the daemon rejected, with its sentences @throws an error that concerns all of them */
export async function applyPull(
  client: Client,
  { devices, racks, rackNodes }: PullPlan,
  signal: AbortSignal,
): Promise<Map<PlannedDevice, string>> {
  for (const { id, name, node } of racks) {
    signal.throwIfAborted();
    rackNodes.set(
      id,
      node?.id ?? (await createNode(client, { type: 'rack', name, identifiers: [rackIdentifier(id)] })),
    );
    if (node !== undefined) await addIdentifiers(client, node.id, [rackIdentifier(id)]);
  }
  const rejections = new Map<PlannedDevice, string>();
  const limit = pLimit(REQUESTS_AT_A_TIME);
  const changed = devices.filter(({ action }) => action === 'create' || action === 'change');
  const work = async (planned: PlannedDevice) => {
    signal.throwIfAborted();
    try {
      await applyDevice(client, planned, rackNodes);
    } catch (error) {
      if (!(error instanceof ApiError) || isPassing(error) || [401, 403].includes(error.status)) throw error;
      rejections.set(planned, messageOf(error));
    }
  };
  try {
    await Promise.all(changed.map((planned) => limit(work, planned)));
  } finally {
    limit.clearQueue();
  }
  return rejections;
}

async function applyDevice(client: Client, { node, steps }: PlannedDevice, rackNodes: ReadonlyMap<number, string>) {
  const isNew = node === undefined;
  const id = node?.id ?? (await createNode(client, newNodeOf(steps, rackNodes)));
  for (const step of steps) if (!isNew || step.kind === 'facts') await applyStep(client, id, step, rackNodes);
}

/** All of it but the catalog is one request, so that a node is never there with a part of it. */
function newNodeOf(steps: readonly PullStep[], rackNodes: ReadonlyMap<number, string>): PostBody<'/nodes'> {
  const node: Extract<PostBody<'/nodes'>, { name: string }> = { type: 'compute', name: '' };
  for (const step of steps) {
    if (step.kind === 'name') node.name = step.name;
    if (step.kind === 'identifiers') node.identifiers = step.added;
    if (step.kind === 'unit' && step.tag !== undefined) node.tags = [step.tag];
    if (step.kind === 'rack')
      node.relations = [{ relationType: step.relation, targets: [rackNodeOf(rackNodes, step.rack.id)] }];
    if (step.kind === 'obm') node.obms = [step.obm];
    if (step.kind === 'owner') node.owner = step.team;
  }
  return node;
}

async function createNode(client: Client, body: PostBody<'/nodes'>): Promise<string> {
  const [node] = [(await client.post('/nodes', { body })).body].flat();
  if (node === undefined) throw new CommandError('the daemon created no node');
  return node.id;
}

async function applyStep(client: Client, identifier: string, step: PullStep, rackNodes: ReadonlyMap<number, string>) {
  const params = { identifier };
  switch (step.kind) {
    case 'name':
      return client.patch('/nodes/:identifier', { params, body: { name: step.name } });
    case 'identifiers':
      return addIdentifiers(client, identifier, step.added);
    case 'unit':
      for (const tag of step.removed)
        await client.remove('/nodes/:identifier/tags/:tag', { params: { identifier, tag } });
      return step.tag && client.patch('/nodes/:identifier/tags', { params, body: { tags: [step.tag] } });
    case 'rack': {
      const formerRacks = Object.entries(step.formerRacks).filter(([, targets]) => targets.length > 0);
      if (formerRacks.length > 0)
        await client.remove('/nodes/:identifier/relations', { params, body: Object.fromEntries(formerRacks) });
      const body = { [step.relation]: [rackNodeOf(rackNodes, step.rack.id)] };
      return client.put('/nodes/:identifier/relations', { params, body });
    }
    case 'facts':
      return client.post('/nodes/:identifier/catalogs', { params, body: { source: 'netbox', data: step.facts } });
    case 'obm':
      return client.put('/nodes/:identifier/obm', { params, body: step.obm });
    case 'owner':
      return client.patch('/nodes/:identifier', { params, body: { owner: step.team } });
  }
}

/** The list is written as a whole, so it is read again: a discovery may have added to it since the plan. */
async function addIdentifiers(client: Client, identifier: string, added: readonly string[]): Promise<void> {
  const params = { identifier };
  const { body } = await client.get('/nodes/:identifier', { params });
  const identifiers = [...new Set([...body.identifiers, ...added])];
  await client.patch('/nodes/:identifier', { params, body: { identifiers } });
}

function rackNodeOf(rackNodes: ReadonlyMap<number, string>, rack: number): string {
  const id = rackNodes.get(rack);
  if (id === undefined) throw new CommandError(`the plan has no node of the rack ${rack}`);
  return id;
}
