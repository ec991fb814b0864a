/** Compares nodes with the custom fields of their devices, and sends what differs. */
import pLimit from 'p-limit';
import { type JsonObject, objectIn } from '../../../engine/vocabulary/json.ts';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import type { Client } from '../client.ts';
import { linkedDevice } from './device-records.ts';
import type { NetBox } from './netbox-client.ts';
import { NetBoxError } from './netbox-error.ts';
import {
  type CustomFields,
  changedValues,
  LAST_WORKFLOW_FIELDS,
  type LastWorkflow,
  pushedFields,
  pushValues,
} from './push-values.ts';
import { portions } from './read-devices.ts';
import type { SiteNode } from './site-nodes.ts';

export interface PushOptions {
  /** Names of the custom fields begin with it. */
  prefix: string;
  /** The origin of the console, for links. */
  origin: string;
}

export interface PlannedPush {
  node: SiteNode;
  device: number;
  action: 'change' | 'none' | 'skip';
  /** Custom fields that differ. */
  changes: CustomFields;
  remarks: string[];
}

const REQUESTS_AT_A_TIME = 4;
const BY_NAME = new Intl.Collator('en', { numeric: true });

/**
 * @param nodes those without a link are left out
 * @returns by name: a pull creates several nodes at a time, so that the order of their creation says nothing
 * @throws NetBoxError NETBOX_FIELDS, and as all requests
 */
export async function pushPlan(
  client: Client,
  netBox: NetBox,
  nodes: readonly SiteNode[],
  options: PushOptions,
): Promise<PlannedPush[]> {
  const planned: PlannedPush[] = [];
  const inOrder = nodes.toSorted((one, other) => BY_NAME.compare(one.name ?? '', other.name ?? ''));
  const linked = inOrder.flatMap((node) => {
    const device = linkedDevice(node);
    return device === undefined ? [] : [{ node, device }];
  });
  for (const some of portions(linked)) {
    const [workflows, fieldsById] = await Promise.all([
      lastWorkflows(
        client,
        some.map(({ node }) => node),
      ),
      customFields(
        netBox,
        some.map(({ device }) => device),
      ),
    ]);
    for (const { node, device } of some) {
      const before = fieldsById.get(device);
      if (before === undefined)
        planned.push({ node, device, action: 'skip', changes: {}, remarks: [`NetBox has no device ${device}`] });
      else {
        checkFields(before, options.prefix);
        const changes = changedValues(before, pushValues(node, workflows.get(node.id), options));
        const action = Object.keys(changes).length === 0 ? 'none' : 'change';
        planned.push({ node, device, action, changes, remarks: [] });
      }
    }
  }
  return planned;
}

/** @returns those that NetBox rejected, with its sentences @throws an error that concerns all of them */
export async function applyPush(
  netBox: NetBox,
  planned: readonly PlannedPush[],
  signal: AbortSignal,
): Promise<Map<PlannedPush, string>> {
  const rejections = new Map<PlannedPush, string>();
  const limit = pLimit(REQUESTS_AT_A_TIME);
  const work = async (one: PlannedPush) => {
    signal.throwIfAborted();
    try {
      await netBox.patch(`dcim/devices/${one.device}/`, { custom_fields: one.changes });
    } catch (error) {
      if (!(error instanceof NetBoxError && error.code === 'NETBOX_REJECTED')) throw error;
      rejections.set(one, messageOf(error));
    }
  };
  try {
    await Promise.all(planned.filter(({ action }) => action === 'change').map((one) => limit(work, one)));
  } finally {
    limit.clearQueue();
  }
  return rejections;
}

/** The newest workflow of each node; of a child the one at the top. */
async function lastWorkflows(client: Client, nodes: readonly SiteNode[]): Promise<Map<string, LastWorkflow>> {
  const newest = nodes.flatMap(({ workflows: [id] }) => (typeof id === 'string' ? [id] : []));
  const workflows = await workflowsOfIds(client, newest);
  const roots = await workflowsOfIds(client, [...new Set(workflows.flatMap(({ root }) => root ?? []))]);
  const rootsById = new Map(roots.map((root) => [root.id, root]));
  return new Map(
    workflows.flatMap((workflow) => {
      const top = workflow.root === null ? workflow : (rootsById.get(workflow.root) ?? workflow);
      return workflow.node === null ? [] : [[workflow.node, top] as const];
    }),
  );
}

async function workflowsOfIds(client: Client, ids: readonly string[]): Promise<LastWorkflow[]> {
  if (ids.length === 0) return [];
  const query = { id: ids.join(','), fields: LAST_WORKFLOW_FIELDS, $top: ids.length };
  return (await client.get('/workflows', { query })).body;
}

/** By the id of the device; one that NetBox does not have is absent. */
async function customFields(netBox: NetBox, ids: readonly number[]): Promise<Map<unknown, JsonObject>> {
  const records = await netBox.list('dcim/devices/', [
    ...ids.map((id) => ['id', String(id)] as const),
    ['fields', 'id,custom_fields'],
    ['exclude', 'config_context'],
  ]);
  return new Map(records.map(({ id, custom_fields: fields }) => [id, objectIn(fields)]));
}

function checkFields(before: JsonObject, prefix: string): void {
  const missing = pushedFields.map(({ name }) => prefix + name).filter((name) => !(name in before));
  if (missing.length === 0) return;
  throw new NetBoxError(
    'NETBOX_FIELDS',
    `devices in NetBox lack the custom fields ${missing.join(', ')}; nw netbox setup creates them`,
  );
}
