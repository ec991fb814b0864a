/** Compares a machine with a baseline, over Redfish and by its catalogs of devices, and plans the changes that would bring it there. */
import type { Services } from '../../define/index.ts';
import {
  type BaselineDifference,
  baselineDifferences,
  componentsNamed,
} from '../../vocabulary/baseline-differences.ts';
import { differenceName } from '../../vocabulary/baseline-texts.ts';
import { property } from '../../vocabulary/json.ts';
import { type DeviceDrift, deviceDrift, deviceSources } from '../firmware/device-drift.ts';
import type { DeviceUpdate } from '../firmware/device-updates.ts';
import {
  type Attributes,
  type Bios,
  biosOf,
  biosRejection,
  differingAttributes,
  rejectedValues,
} from '../redfish/bios.ts';
import { componentsIn, firmwareRejection, updateServiceOf } from '../redfish/firmware.ts';
import type { FirmwareOptions } from '../redfish/firmware-activities.ts';
import { type Json, linkIn, type Service, type ServiceInput } from '../redfish/service.ts';
import type { FirmwareGoal } from './baseline-options.ts';

export interface BaselineInput extends ServiceInput {
  firmware: FirmwareGoal[];
  bios: Attributes;
  inBand: DeviceUpdate[];
}

/** The machine as its BMC shows it. Parts that a baseline does not name are not read. */
interface ReadMachine {
  components: Json[];
  bios: Bios | undefined;
  devices: DeviceDrift;
}

/** Options of `Task.Firmware.Update` for components that differ. */
type Update = Pick<FirmwareOptions, 'image' | 'file' | 'sha256' | 'applyTime' | 'targets' | 'version'>;

export interface BaselinePlan {
  differences: BaselineDifference[];
  updates: Update[];
  attributes: Attributes;
  /** All devices of the baseline, if any differs or is not known; they share one boot of the agent. */
  inBand: DeviceUpdate[];
}

interface ReadScope {
  input: BaselineInput;
  services: Pick<Services, 'catalog'>;
  nodeId: string | null;
}

export async function readMachine(service: Service, { input, services, nodeId }: ReadScope): Promise<ReadMachine> {
  const { ask } = service;
  const { firmware, bios, inBand } = input;
  const catalogs = new Map<string, unknown>();
  if (nodeId !== null)
    for (const source of deviceSources(inBand)) catalogs.set(source, await services.catalog(nodeId, source));
  return {
    components: firmware.length === 0 ? [] : await componentsIn(ask, (await updateServiceOf(ask)).inventory),
    bios: Object.keys(bios).length === 0 ? undefined : await biosOf(ask, await service.system()),
    devices: deviceDrift(inBand, (source) => catalogs.get(source)),
  };
}

const differencesAt = (goal: BaselineInput, { components, bios, devices }: ReadMachine): BaselineDifference[] => [
  ...baselineDifferences(goal, { components, attributes: bios?.attributes }),
  ...devices.differences,
];

/** @returns the names of all that differs */
export const differingNames = (goal: BaselineInput, machine: ReadMachine): string[] =>
  differencesAt(goal, machine).map(differenceName);

/** Stores the catalogs from which the drift of the node is computed, as `Graph.Redfish.Discovery` does. */
export async function storeMachine(
  services: Pick<Services, 'addCatalog'>,
  node: string,
  { components, bios }: ReadMachine,
): Promise<void> {
  if (components.length > 0) await services.addCatalog(node, 'redfish-firmware', components);
  if (bios !== undefined) await services.addCatalog(node, 'redfish-bios', bios.resource);
}

/** @throws PermanentError FIRMWARE_REJECTED, BIOS_REJECTED if it cannot be brought there; nothing was changed */
export async function planBaseline({ ask }: Service, goal: BaselineInput, machine: ReadMachine): Promise<BaselinePlan> {
  const differences = differencesAt(goal, machine);
  const differing = new Set(differences.flatMap(({ kind, name }) => (kind === 'firmware' ? [name] : [])));
  const updates = goal.firmware
    .filter(({ component }) => differing.has(component))
    .map((one) => updateOf(one, machine.components));
  const { bios, devices } = machine;
  const inBand = devices.differences.length + devices.lacks.length > 0 ? goal.inBand : [];
  if (bios === undefined) return { differences, updates, attributes: {}, inBand };
  const attributes = differingAttributes(bios.attributes, goal.bios);
  const wrong = await rejectedValues(ask, bios, attributes);
  if (wrong.length > 0) throw biosRejection(wrong);
  return { differences, updates, attributes, inBand };
}

function updateOf({ component, version, ...image }: FirmwareGoal, components: readonly Json[]): Update {
  const named = componentsNamed(components, component);
  if (named.length === 0) {
    const ids = components.map(({ Id: id }) => String(id)).slice(0, 50);
    throw firmwareRejection(`found no component ${JSON.stringify(component)}; expected one of ${ids.join(', ')}`);
  }
  if (image.image === undefined && image.file === undefined)
    throw firmwareRejection(`${component} has another version than ${version}, and the baseline names no image of it`);
  const differing = named.filter((one) => property(one, 'Version') !== version);
  return { ...image, version, targets: differing.flatMap((one) => linkIn(one) ?? []) };
}
