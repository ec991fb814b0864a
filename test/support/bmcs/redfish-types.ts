/** The types of the resources of a Redfish service, as DMTF's service validator checks them (DSP0268). */
import { link } from './redfish-protocol.ts';

/** By the end of their paths: the first that matches applies. */
const TYPES: readonly (readonly [RegExp, string])[] = [
  [/\/Systems$/, 'ComputerSystemCollection.ComputerSystemCollection'],
  [/\/ResetActionInfo$/, 'ActionInfo.v1_4_0.ActionInfo'],
  [/\/Bios(\/Settings)?$/, 'Bios.v1_2_0.Bios'],
  [/\/Systems\/[^/]+$/, 'ComputerSystem.v1_20_0.ComputerSystem'],
  [/\/Managers$/, 'ManagerCollection.ManagerCollection'],
  [/\/LogServices$/, 'LogServiceCollection.LogServiceCollection'],
  [/\/LogServices\/[^/]+$/, 'LogService.v1_5_0.LogService'],
  [/\/VirtualMedia$/, 'VirtualMediaCollection.VirtualMediaCollection'],
  [/\/VirtualMedia\/[^/]+$/, 'VirtualMedia.v1_6_0.VirtualMedia'],
  [/\/Managers\/[^/]+$/, 'Manager.v1_19_0.Manager'],
  [/\/EventService$/, 'EventService.v1_10_0.EventService'],
  [/\/Subscriptions$/, 'EventDestinationCollection.EventDestinationCollection'],
  [/\/Subscriptions\/[^/]+$/, 'EventDestination.v1_14_0.EventDestination'],
  [/\/UpdateService$/, 'UpdateService.v1_13_0.UpdateService'],
  [/\/FirmwareInventory$/, 'SoftwareInventoryCollection.SoftwareInventoryCollection'],
  [/\/FirmwareInventory\/[^/]+$/, 'SoftwareInventory.v1_10_0.SoftwareInventory'],
  [/\/TaskService$/, 'TaskService.v1_2_0.TaskService'],
  [/\/Tasks$/, 'TaskCollection.TaskCollection'],
  [/\/Tasks\/[^/]+$/, 'Task.v1_7_0.Task'],
  [/\/Registries$/, 'MessageRegistryFileCollection.MessageRegistryFileCollection'],
  [/\/bios\.json$/, 'AttributeRegistry.v1_3_6.AttributeRegistry'],
  [/\/Registries\/[^/]+$/, 'MessageRegistryFile.v1_1_3.MessageRegistryFile'],
  [/\/Sessions$/, 'SessionCollection.SessionCollection'],
  [/\/Sessions\/[^/]+$/, 'Session.v1_1_0.Session'],
];

/** @returns the resource with the properties that every resource of its type must have */
export function typedResource(path: string, resource: object): object {
  const [, type] = TYPES.find(([pattern]) => pattern.test(path)) ?? [];
  const name = path.split('/').at(-1);
  const members = 'Members' in resource && Array.isArray(resource.Members) ? resource.Members : undefined;
  return {
    ...link(path),
    ...(type !== undefined && { '@odata.type': `#${type}` }),
    ...(members === undefined ? { Id: name } : { 'Members@odata.count': members.length }),
    Name: name,
    ...resource,
  };
}
