/** The changes of a pull on one node, as steps that are harmless to repeat: a pull that ends in the middle is completed by the next one. */
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../engine/vocabulary/json.ts';
import { macOf } from '../../../engine/vocabulary/mac.ts';
import type { PostBody } from '../../client/requests.ts';
import { type Device, deviceIdentifier } from './device-records.ts';
import type { SiteNode } from './site-nodes.ts';

type NewNodeBody = Extract<PostBody<'/nodes'>, { name: string }>;
export type NewObmBody = NonNullable<NewNodeBody['obms']>[number];

export type RackRelation = 'containedBy' | 'enclosedBy';

export type PullStep =
  | { kind: 'name'; name: string; before: string }
  | { kind: 'identifiers'; added: string[] }
  | { kind: 'unit'; tag: string | undefined; removed: string[] }
  | {
      kind: 'rack';
      rack: NonNullable<Device['rack']>;
      relation: RackRelation;
      formerRacks: Partial<Record<RackRelation, string[]>>;
    }
  | { kind: 'facts'; facts: JsonObject; before: JsonObject | undefined }
  | { kind: 'obm'; obm: NewObmBody; host: string; before: string | undefined }
  | { kind: 'owner'; team: string; before: string | undefined };

/** The state of the daemon that the steps of all devices depend on. */
export interface PullContext {
  nodesById: ReadonlyMap<string, SiteNode>;
  /** Ids of the nodes of racks, by the ids of the racks in NetBox; a rack that is missing is created. */
  rackNodes: ReadonlyMap<number, string>;
  /** The newest catalog `netbox`, by node. */
  factsByNode: ReadonlyMap<string, JsonObject>;
  /** Addresses of BMCs, by node. */
  bmcHosts: ReadonlyMap<string, string[]>;
  /** Names of teams; absent: tenants are not owners. */
  teams: ReadonlySet<string> | undefined;
  relation: RackRelation;
  /** The obm without its host; absent: no obm is changed. */
  obm: NewObmBody | undefined;
}

/** @returns the steps, and remarks about values that stay as they are */
export function pullSteps(device: Device, node: SiteNode | undefined, context: PullContext) {
  const remarks: string[] = [];
  const parts = [
    nameStep(device, node),
    identifierStep(device, node),
    unitStep(device, node),
    rackStep(device, node, context, remarks),
    factsStep(device, node, context),
    obmStep(device, node, context, remarks),
    ownerStep(device, node, context, remarks),
  ];
  return { steps: parts.filter((step) => step !== undefined), remarks };
}

const nameStep = ({ name }: Device, node: SiteNode | undefined): PullStep | undefined =>
  node?.name === name ? undefined : { kind: 'name', name, before: node?.name ?? '' };

function identifierStep({ id, macs }: Device, node: SiteNode | undefined): PullStep | undefined {
  const before = new Set(node?.identifiers.map((identifier) => macOf(identifier) ?? identifier));
  const added = [deviceIdentifier(id), ...macs].filter((identifier) => !before.has(identifier));
  return added.length === 0 ? undefined : { kind: 'identifiers', added };
}

/** Without a rack NetBox does not say where the device is, and the place of the node stays. */
function unitStep({ rack, unit }: Device, node: SiteNode | undefined): PullStep | undefined {
  if (rack === undefined) return undefined;
  const tag = unit === undefined ? undefined : `u${unit}`;
  const before = node?.tags.filter((one) => /^u\d{1,3}$/i.test(one)) ?? [];
  const removed = before.filter((one) => one !== tag);
  const isAdded = tag !== undefined && !before.includes(tag);
  return removed.length === 0 && !isAdded ? undefined : { kind: 'unit', tag: isAdded ? tag : undefined, removed };
}

function rackStep(
  { rack }: Device,
  node: SiteNode | undefined,
  { nodesById, rackNodes, relation }: PullContext,
  remarks: string[],
): PullStep | undefined {
  if (rack === undefined) return undefined;
  const targetsOf = (type: RackRelation) =>
    node?.relations.filter(({ relationType }) => relationType === type).flatMap(({ targets }) => targets) ?? [];
  const rackNode = rackNodes.get(rack.id);
  const [containers, enclosures] = [targetsOf('containedBy'), targetsOf('enclosedBy')];
  if (rackNode !== undefined && [...containers, ...enclosures].includes(rackNode)) return undefined;
  const isRack = (id: string) => nodesById.get(id)?.type === 'rack';
  const other = containers.find((id) => !isRack(id));
  if (other !== undefined && relation === 'containedBy') {
    remarks.push(
      `it is in ${nodesById.get(other)?.name ?? other}, which is no rack, so it is not put into ${rack.name}`,
    );
    return undefined;
  }
  const formerRacks = { containedBy: containers.filter(isRack), enclosedBy: enclosures.filter(isRack) };
  return { kind: 'rack', rack, relation, formerRacks };
}

function factsStep({ facts }: Device, node: SiteNode | undefined, { factsByNode }: PullContext): PullStep | undefined {
  const before = node && factsByNode.get(node.id);
  return isDeepStrictEqual(before, facts) ? undefined : { kind: 'facts', facts, before };
}

function obmStep(
  { oobIp }: Device,
  node: SiteNode | undefined,
  { bmcHosts, obm }: PullContext,
  remarks: string[],
): PullStep | undefined {
  if (oobIp === '') return undefined;
  const hosts = (node && bmcHosts.get(node.id)) ?? [];
  if (hosts.includes(oobIp)) return undefined;
  if (obm !== undefined)
    return { kind: 'obm', obm: { ...obm, config: { ...obm.config, host: oobIp } }, host: oobIp, before: hosts[0] };
  if (hosts.length > 0)
    remarks.push(`its BMC is at ${oobIp}, but the obm leads to ${hosts.join(', ')}; see --obm-file`);
  return undefined;
}

function ownerStep(
  { tenant }: Device,
  node: SiteNode | undefined,
  { teams }: PullContext,
  remarks: string[],
): PullStep | undefined {
  if (teams === undefined || tenant === '' || node?.owner === tenant) return undefined;
  if (teams.has(tenant)) return { kind: 'owner', team: tenant, before: node?.owner };
  remarks.push(`there is no team ${tenant}; nw team add ${tenant} creates it`);
  return undefined;
}

/** The step in words, without secrets. */
export function stepText(step: PullStep): string {
  switch (step.kind) {
    case 'name':
      return step.before === '' ? `name ${step.name}` : `name ${step.before} > ${step.name}`;
    case 'identifiers':
      return `identifiers + ${step.added.join(', ')}`;
    case 'unit':
      return `unit ${[step.removed.join(', '), step.tag].filter(Boolean).join(' > ') || 'none'}`;
    case 'rack':
      return `rack ${step.rack.name}`;
    case 'facts':
      return `catalog netbox: ${changedKeys(step.before, step.facts).join(', ')}`;
    case 'obm':
      return step.before === undefined ? `obm at ${step.host}` : `obm ${step.before} > ${step.host}`;
    case 'owner':
      return step.before === undefined ? `owner ${step.team}` : `owner ${step.before} > ${step.team}`;
  }
}

function changedKeys(before: JsonObject | undefined, after: JsonObject): string[] {
  if (before === undefined) return ['new'];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => !isDeepStrictEqual(before[key], after[key]));
}
