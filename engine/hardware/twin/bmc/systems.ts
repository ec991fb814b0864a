/** The system of a machine (ComputerSystem): its identity, power, boot override and light. */
import type { JsonObject } from '../../../vocabulary/json.ts';
import type { BmcCall, BmcReply, BmcRoute } from './bmc-call.ts';
import { chassisPath, collectionOf, linkTo, managerPath, ROOT_PATH, resourceOf, systemPath } from './documents.ts';
import { BodyFields } from './fields.ts';
import { changeLight, lightOf } from './lights.ts';
import { resetSystem } from './system-power.ts';

const SYSTEM = `${ROOT_PATH}/Systems/:system`;
const bootTargets = ['None', 'Pxe', 'Hdd', 'Cd', 'Usb', 'BiosSetup', 'UefiHttp'] as const;
const overrides = ['Disabled', 'Once', 'Continuous'] as const;
const modes = ['UEFI', 'Legacy'] as const;

function systemDocument(call: BmcCall): JsonObject {
  const { model, machine, bmc } = call;
  const path = systemPath(call);
  const { processor, memory, tree } = model;
  return resourceOf(call, 'ComputerSystem', 'System', {
    SystemType: 'Physical',
    Manufacturer: model.manufacturer,
    Model: model.product,
    SKU: model.sku,
    PartNumber: model.sku,
    SerialNumber: machine.facts.serial,
    UUID: machine.facts.uuid,
    HostName: machine.name,
    BiosVersion: bmc.versions.BIOS,
    PowerState: machine.state.power.is,
    PowerRestorePolicy: 'LastState',
    Status: { State: machine.isOn ? 'Enabled' : 'StandbyOffline', Health: 'OK', HealthRollup: 'OK' },
    ...lightOf(call),
    Boot: {
      BootSourceOverrideEnabled: bmc.override.enabled,
      'BootSourceOverrideEnabled@Redfish.AllowableValues': overrides,
      BootSourceOverrideTarget: bmc.override.target,
      'BootSourceOverrideTarget@Redfish.AllowableValues': bootTargets,
      BootSourceOverrideMode: bmc.override.mode,
      'BootSourceOverrideMode@Redfish.AllowableValues': modes,
    },
    ProcessorSummary: {
      Count: processor.sockets,
      CoreCount: processor.sockets * processor.cores,
      LogicalProcessorCount: processor.sockets * processor.threads,
      Model: processor.model,
    },
    MemorySummary: { TotalSystemMemoryGiB: (memory.modules * memory.moduleMib) / 1_024 },
    Bios: linkTo(`${path}/Bios`),
    Processors: linkTo(`${path}/Processors`),
    Memory: linkTo(`${path}/Memory`),
    Storage: linkTo(`${path}/Storage`),
    EthernetInterfaces: linkTo(`${path}/EthernetInterfaces`),
    ...(tree.logOf === 'system' && { LogServices: linkTo(`${path}/LogServices`) }),
    ...(tree.mediaOf === 'system' && { VirtualMedia: linkTo(`${path}/VirtualMedia`) }),
    Links: { Chassis: [linkTo(chassisPath(call))], ManagedBy: [linkTo(managerPath(call))] },
    Actions: {
      '#ComputerSystem.Reset': {
        target: `${path}/Actions/ComputerSystem.Reset`,
        ...(tree.hasActionInfo
          ? { '@Redfish.ActionInfo': `${path}/ResetActionInfo` }
          : { 'ResetType@Redfish.AllowableValues': model.resetTypes }),
      },
    },
  });
}

async function changeSystem(call: BmcCall): Promise<BmcReply> {
  const { bmc, body, machine, model } = call;
  const fields = new BodyFields(body, ['Boot', model.tree.light]);
  const boot = fields.has('Boot') ? bootIn(fields.object('Boot'), bmc.override) : bmc.override;
  changeLight(call, fields);
  bmc.override = boot;
  await machine.save();
  return { status: 200, body: systemDocument(call) };
}

type Override = BmcCall['bmc']['override'];

function bootIn(body: JsonObject, before: Override): Override {
  const names = ['BootSourceOverrideEnabled', 'BootSourceOverrideTarget', 'BootSourceOverrideMode'] as const;
  const fields = new BodyFields(body, names);
  const [enabled, target, mode] = names;
  const next = {
    enabled: fields.has(enabled) ? fields.oneOf(enabled, overrides) : before.enabled,
    target: fields.has(target) ? fields.oneOf(target, bootTargets) : before.target,
    mode: fields.has(mode) ? fields.oneOf(mode, modes) : before.mode,
  };
  // A target alone is for one boot; without a target nothing is overridden.
  if (fields.has(target) && !fields.has(enabled) && next.target !== 'None') next.enabled = 'Once';
  if (next.target === 'None' || next.enabled === 'Disabled')
    return { enabled: 'Disabled', target: 'None', mode: next.mode };
  return next;
}

export const systemRoutes: readonly BmcRoute[] = [
  {
    path: `${ROOT_PATH}/Systems`,
    get: (call) => collectionOf(call, 'ComputerSystem', [call.model.ids.system]),
  },
  { path: SYSTEM, get: systemDocument, patch: changeSystem },
  { path: `${SYSTEM}/Actions/ComputerSystem.Reset`, post: resetSystem, ledger: 'power' },
  {
    path: `${SYSTEM}/ResetActionInfo`,
    has: ({ model }) => model.tree.hasActionInfo,
    get: (call) =>
      resourceOf(call, 'ActionInfo', 'Reset types', {
        Parameters: [{ Name: 'ResetType', Required: true, DataType: 'String', AllowableValues: call.model.resetTypes }],
      }),
  },
];
