/** The plan of a pull: what it would do for each device. */
import { type JsonObject, objectIn } from '../../../engine/vocabulary/json.ts';
import type { Client } from '../client.ts';
import { wholeList } from '../whole-list.ts';
import { type Device, rackIdentifier } from './device-records.ts';
import { matchedDevices } from './matched-devices.ts';
import { type NewObmBody, type PullContext, type PullStep, pullSteps, type RackRelation } from './pull-steps.ts';
import { portions } from './read-devices.ts';
import { type SiteNode, siteNodes } from './site-nodes.ts';

export interface PullOptions {
  relation: RackRelation;
  /** Whether the tenant of a device is the team that owns its node. */
  owners: boolean;
  obm: NewObmBody | undefined;
}

export interface PlannedDevice {
  device: Device;
  node: SiteNode | undefined;
  action: 'create' | 'change' | 'none' | 'skip';
  steps: PullStep[];
  /** Reasons of a skip, and values that stay as they are. */
  remarks: string[];
}

export interface PullPlan {
  devices: PlannedDevice[];
  /** Racks of NetBox without a node. The node, if one without a link has the name alone. */
  racks: { id: number; name: string; node: SiteNode | undefined }[];
  /** Ids of the nodes of racks, by the ids of the racks. */
  rackNodes: Map<number, string>;
}

export async function pullPlan(client: Client, devices: readonly Device[], options: PullOptions): Promise<PullPlan> {
  const nodes = await siteNodes(client);
  const matched = matchedDevices(devices, nodes);
  const usedNodes = matched.flatMap(({ node, problems }) => (node === undefined || problems.length > 0 ? [] : [node]));
  const isPut = new Set(matched.filter(({ problems }) => problems.length === 0).map(({ device }) => device));
  const { rackNodes, racks } = racksOf(
    devices.filter((device) => isPut.has(device)),
    nodes,
  );
  const context: PullContext = {
    nodesById: new Map(nodes.map((node) => [node.id, node])),
    rackNodes: new Map([...rackNodes, ...racks.flatMap(({ id, node }) => (node ? [[id, node.id] as const] : []))]),
    factsByNode: await netBoxFacts(client, usedNodes),
    bmcHosts: await bmcHosts(client),
    teams: options.owners ? await teamNames(client) : undefined,
    relation: options.relation,
    obm: options.obm,
  };
  const planned = matched.map(({ device, node, problems }): PlannedDevice => {
    if (problems.length > 0) return { device, node, action: 'skip', steps: [], remarks: problems };
    const { steps, remarks } = pullSteps(device, node, context);
    const action = node === undefined ? 'create' : steps.length > 0 ? 'change' : 'none';
    return { device, node, action, steps, remarks };
  });
  return { devices: planned, racks, rackNodes };
}

/** A node of a rack is known by its identifier. One that has only the name is used if no other rack has it. */
function racksOf(devices: readonly Device[], nodes: readonly SiteNode[]): Pick<PullPlan, 'racks' | 'rackNodes'> {
  const names = new Map(devices.flatMap(({ rack }) => (rack === undefined ? [] : [[rack.id, rack.name] as const])));
  const rackNodes = new Map<number, string>();
  const racks: PullPlan['racks'] = [];
  const unlinked = nodes.filter(({ type, identifiers }) => type === 'rack' && !identifiers.some(isRackIdentifier));
  for (const [id, name] of names) {
    const linked = nodes.find(({ identifiers }) => identifiers.includes(rackIdentifier(id)));
    if (linked !== undefined) rackNodes.set(id, linked.id);
    else {
      const isOnly = [...names.values()].filter((one) => one === name).length === 1;
      const [node, other] = isOnly ? unlinked.filter((one) => one.name === name) : [];
      racks.push({ id, name, node: other === undefined ? node : undefined });
    }
  }
  return { racks, rackNodes };
}

const isRackIdentifier = (identifier: string): boolean => /^netbox-rack-\d+$/.test(identifier);

/** Each source of a node has at most ten catalogs, so a page has those of all. */
const NODES_PER_CATALOG_QUERY = 100;
const CATALOGS_PER_PAGE = 1_000;

async function netBoxFacts(client: Client, nodes: readonly SiteNode[]): Promise<Map<string, JsonObject>> {
  const factsByNode = new Map<string, JsonObject>();
  for (const some of portions(nodes, NODES_PER_CATALOG_QUERY)) {
    const query = {
      source: 'netbox',
      node: some.map(({ id }) => id).join(','),
      sort: '-createdAt',
      $top: CATALOGS_PER_PAGE,
    };
    const { body } = await client.get('/catalogs', { query });
    for (const { node, data } of body) if (!factsByNode.has(node)) factsByNode.set(node, objectIn(data));
  }
  return factsByNode;
}

async function bmcHosts(client: Client): Promise<Map<string, string[]>> {
  const { body } = await wholeList((query) => client.get('/obms', { query }));
  const hosts = new Map<string, string[]>();
  for (const { nodeId, config } of body) {
    const host = hostIn(config);
    if (host !== undefined) hosts.set(nodeId, [...(hosts.get(nodeId) ?? []), host]);
  }
  return hosts;
}

function hostIn({ host, uri }: JsonObject): string | undefined {
  if (typeof uri === 'string') return URL.canParse(uri) ? new URL(uri).hostname.replace(/^\[|\]$/g, '') : undefined;
  return typeof host === 'string' ? host : undefined;
}

async function teamNames(client: Client): Promise<Set<string>> {
  const { body } = await wholeList((query) => client.get('/teams', { query }));
  return new Set(body.map(({ name }) => name));
}
