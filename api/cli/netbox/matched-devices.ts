/**
 * Which node each device is: the one that is linked to it, else the one with one of its MACs, else the one with its serial number. A device
 * for which this is not certain is skipped, with the reasons.
 */
import { macOf } from '../../../engine/vocabulary/mac.ts';
import { type Device, deviceIdentifier, linkedDevice } from './device-records.ts';
import { keyedLists } from './keyed-lists.ts';
import type { SiteNode } from './site-nodes.ts';

export interface MatchedDevice {
  device: Device;
  /** Absent: there is none yet. */
  node: SiteNode | undefined;
  /** Reasons for which nothing is changed. */
  problems: string[];
}

export function matchedDevices(devices: readonly Device[], nodes: readonly SiteNode[]): MatchedDevice[] {
  const nodesByName = nodesByNames(nodes);
  const nodesBySerial = keyedLists(
    nodes.filter(({ serial }) => serial),
    ({ serial }) => [serial ?? ''],
  );
  const devicesByMac = keyedLists(devices, ({ macs }) => macs);
  const devicesBySerial = keyedLists(
    devices.filter(({ serial }) => serial !== ''),
    ({ serial }) => [serial],
  );
  const matched = devices.map((device): MatchedDevice => {
    const linked = nodesByName.get(deviceIdentifier(device.id));
    const byMac = [...new Set(device.macs.flatMap((mac) => nodesByName.get(mac) ?? []))];
    // Boards without a serial number have a text of their maker, which many share.
    const isUnique = devicesBySerial.get(device.serial)?.length === 1;
    const bySerial = isUnique ? (nodesBySerial.get(device.serial) ?? []) : [];
    const linkedNodes = [...new Set([linked ?? [], byMac].flat())];
    const node = linkedNodes[0] ?? (bySerial.length === 1 ? bySerial[0] : undefined);
    const problems = [...sharedMacs(device, devicesByMac), ...contradictions(device, node, linkedNodes)];
    if (node === undefined && bySerial.length > 1) problems.push(`${bySerial.length} nodes have its serial number`);
    if (node === undefined && device.macs.length === 0)
      problems.push('none of its interfaces has a MAC, and no node has its serial number');
    return { device, node, problems };
  });
  const byNode = keyedLists(matched, ({ node }) => (node === undefined ? [] : [node.id]));
  for (const { device, node, problems } of matched) {
    const others = (byNode.get(node?.id ?? '') ?? []).filter((one) => one.device !== device);
    for (const other of others.slice(0, 3))
      problems.push(`the node ${node?.name} is also that of ${titleOf(other.device)}`);
  }
  return matched;
}

function nodesByNames(nodes: readonly SiteNode[]): Map<string, SiteNode> {
  const names = (identifier: string) => [identifier, macOf(identifier) ?? identifier];
  return new Map(nodes.flatMap((node) => node.identifiers.flatMap(names).map((name) => [name, node] as const)));
}

const titleOf = ({ name, id }: Device): string => `${name} (device ${id})`;

const sharedMacs = (device: Device, devicesByMac: ReadonlyMap<string, Device[]>): string[] =>
  device.macs.flatMap((mac) => {
    const other = devicesByMac.get(mac)?.find((one) => one !== device);
    return other === undefined ? [] : [`${mac} is also that of ${titleOf(other)}`];
  });

function contradictions(device: Device, node: SiteNode | undefined, linkedNodes: readonly SiteNode[]): string[] {
  if (node === undefined) return [];
  const problems: string[] = [];
  if (linkedNodes.length > 1)
    problems.push(
      `it is linked to, or shares MACs with, several nodes: ${linkedNodes.map(({ name }) => name).join(', ')}`,
    );
  const linked = linkedDevice(node);
  if (linked !== undefined && linked !== device.id)
    problems.push(`the node ${node.name} belongs to the device ${linked}`);
  if (device.serial !== '' && node.serial !== undefined && node.serial !== device.serial)
    problems.push(`its serial number is ${device.serial}, but the machine's is ${node.serial}: was it swapped?`);
  return problems;
}
