/**
 * The base tasks of RackHD, which a task names in `implementsTask`, and the tasks of nodewright that do their job. The
 * names are RackHD's; the tasks are in `tasks/`. A job without a task here is known, so that definitions with it load,
 * but a graph that cannot succeed without it is not launched.
 */
import type { JsonObject } from '../../../vocabulary/json.ts';
import type { MissingJob } from '../../types.ts';

/** The task that does a job, and what its defaults are then. */
export interface BaseTask {
  task: string;
  defaults?: JsonObject;
}

/** The options of an inline or stored task select the task. */
interface BySelection {
  option: string;
  tasks: Readonly<Record<string, string | BaseTask>>;
}

const done: Readonly<Record<string, string | BaseTask | BySelection>> = {
  'Task.Base.Alert.Node.Discovered': 'Task.Node.Discovered',
  'Task.Base.Catalog.GenerateEnclosure': 'Task.Enclosure.Assign',
  'Task.Base.Catalog.GenerateSku': 'Task.Sku.Assign',
  // The daemon gives tags with each new catalog.
  'Task.Base.Catalog.GenerateTag': 'Task.noop',
  'Task.Base.Catalogs.ProvideValue': 'Task.Catalogs.ProvideValue',
  'Task.Base.Dell.Racadm.Catalog': 'Task.Dell.Racadm',
  'Task.Base.Dell.Racadm.Control': 'Task.Dell.Racadm',
  'Task.Base.Dell.Wsman.Configure.Redfish.Alert': 'Task.Dell.Configure.Alerts',
  'Task.Base.Dell.Wsman.ConfigureBios': 'Task.Bios.Apply',
  'Task.Base.Dell.Wsman.Discovery': 'Task.Redfish.Discover.Ranges',
  'Task.Base.Dell.Wsman.GetBios': 'Task.Redfish.Catalog',
  'Task.Base.Dell.Wsman.GetInventory': 'Task.Redfish.Catalog',
  'Task.Base.Dell.Wsman.GetSystemConfigComponents': 'Task.Redfish.Catalog',
  'Task.Base.Dell.Wsman.Simple.Update.Firmware': 'Task.Firmware.Apply',
  // Files are put to /files; a file of racadm names one of them.
  'Task.Base.Download.Http.File': 'Task.noop',
  'Task.Base.Evaluate.Condition': 'Task.Evaluate.Condition',
  'Task.Base.Generate.Password': 'Task.Generate.Password',
  'Task.Base.General.Redfish.Catalog': {
    task: 'Task.Redfish.Catalog',
    defaults: { discovered: "{{ context.bmcs || '' }}" },
  },
  'Task.Base.Get.Catalog.Values': 'Task.Get.Catalog.Values',
  'Task.Base.Graph.Run': 'Task.Graph.Run',
  'Task.Base.Graph.RunSku': 'Task.Graph.RunSku',
  'Task.Base.Linux.Bootstrap': 'Task.Linux.Bootstrap',
  'Task.Base.Linux.Catalog': 'Task.Linux.Catalog',
  'Task.Base.Linux.Commands': 'Task.Linux.Scripts',
  'Task.Base.Obm.CreateSettings': 'Task.Obm.CreateSettings',
  'Task.Base.Obm.Ipmi.CreateSettings': 'Task.Obm.Ipmi.CreateSettings',
  'Task.Base.Obm.Node': {
    option: 'action',
    tasks: {
      clearSEL: 'Task.Obm.Node.ClearSEL',
      // RackHD's boot override that no timer of the BMC ends.
      forceBootPxe: 'Task.Obm.Node.PxeBoot',
      identifyOff: 'Task.Obm.Node.IdentifyOff',
      identifyOn: 'Task.Obm.Node.IdentifyOn',
      mcResetCold: 'Task.Bmc.Reset',
      powerOff: 'Task.Obm.Node.PowerOff',
      powerOn: 'Task.Obm.Node.PowerOn',
      reboot: 'Task.Obm.Node.Reboot',
      reset: 'Task.Obm.Node.Reset',
      softReset: { task: 'Task.Obm.Node.Reboot', defaults: { force: false } },
      setBootDisk: 'Task.Obm.Node.DiskBoot',
      setBootPxe: 'Task.Obm.Node.PxeBoot',
    },
  },
  'Task.Base.Os.Install': 'Task.Os.Install',
  'Task.Base.Pollers.CreateDefault': 'Task.Pollers.Create',
  'Task.Base.Pollers.Redfish.CreateDefault': 'Task.Pollers.Create',
  'Task.Base.Redfish.Alert.Enable': 'Task.Redfish.Alert.Subscribe',
  'Task.Base.Redfish.Discovery': 'Task.Redfish.Discover.Ranges',
  // The task of the ranges has read them; without it, there is no list, as with RackHD.
  'Task.Base.Redfish.Discovery.List': { task: 'Task.Redfish.Catalog', defaults: { discovered: '{{ context.bmcs }}' } },
  'Task.Base.Redfish.Ip.Range.Discovery': 'Task.Redfish.Discover.Ranges',
  // A discovery makes the MACs identifiers of its nodes.
  'Task.Base.Redfish.Update.Lookups': { task: 'Task.Redfish.Catalog', defaults: { discovered: '{{ context.bmcs }}' } },
  'Task.Base.Rest': 'Task.Run.Rest.Command',
  'Task.Base.Rest.Catalog': 'Task.Rest.Catalog',
  'Task.Base.SecureErase': 'Task.Drive.SecureErase',
  'Task.Base.ShellReboot': 'Task.Linux.ShellReboot',
  // A collection makes the catalogs, whose interfaces and neighbors have what the next jobs of RackHD add to other records.
  'Task.Base.Catalog.PduRelations': 'Task.noop',
  'Task.Base.Catalog.SwitchRelations': 'Task.noop',
  'Task.Base.Node.Update': 'Task.noop',
  'Task.Base.Snmp.Catalog': 'Task.noop',
  'Task.Base.Snmp.Collect': 'Task.Snmp.Catalog',
  'Task.Base.Snmp.Ping': 'Task.Snmp.Catalog',
  'Task.Base.Snmp.Update.Lookups': 'Task.noop',
  'Task.Base.Trigger': 'Task.Trigger.Send.Finish',
  'Task.Base.Wsman.Update.Lookups': 'Task.Redfish.Lookups',
  'Task.Base.Wait.Notification': 'Task.Wait.Notification',
  'Task.Base.noop': 'Task.noop',
  'Task.Docker.Base': 'Task.Docker',
};

/** Tasks that RackHD ships, and this project under another name. */
const renamed: Readonly<Record<string, string>> = {
  'Task.Alert.Node.Discovered': 'Task.Node.Discovered',
  'Task.Catalog.GenerateEnclosure': 'Task.Enclosure.Assign',
  'Task.Catalog.GenerateSku': 'Task.Sku.Assign',
  'Task.Linux.Bootstrap.Rancher': 'Task.Linux.Bootstrap',
  'Task.Linux.Bootstrap.Ubuntu': 'Task.Linux.Bootstrap',
  'Task.ProcShellReboot': 'Task.Linux.ShellReboot',
};

/** Defaults that RackHD's task of this name has, and the task here cannot have: it is for graphs that state their options. */
const defaultsInLists: Readonly<Record<string, JsonObject>> = {
  'Task.Obm.Ipmi.CreateSettings': { user: '{{ context.user || monorail }}', password: '{{ context.password }}' },
};

const missing: Readonly<Record<string, readonly string[]>> = {
  'it needs WS-Man; use Graph.Raid.Configure, which makes volumes of drives by their serial numbers': [
    ...['Add.Volume', 'Dell.Wsman.Add.Volume.UpdateXml', 'Dell.Wsman.RAID'],
  ],
  'it needs WS-Man; use Graph.Raid.Clear, which deletes all volumes, then Graph.Raid.Configure': [
    ...['Delete.Volume', 'Dell.Wsman.Delete.Volume.UpdateXml'],
  ],
  'it needs WS-Man, and no graph here makes hot spares': ['Add.Hotspare', 'Dell.Wsman.Add.Hotspare.UpdateXml'],
  'it needs WS-Man; use Graph.Firmware.Update with an image for each component, or Graph.Baseline.Apply': [
    ...['Update.Firmware', 'Firmware.Collect', 'Download', 'Create.Repo'].map(ofWsman),
  ],
  'it needs WS-Man; use Graph.Redfish.Alert.Subscribe or Graph.Dell.Configure.Redfish.Alerting': [
    ofWsman('GetTrapConfig'),
  ],
  'it needs WS-Man; use Graph.Redfish.Discovery, which also makes the MACs identifiers of the node': [
    ofWsman('PostDiscovery'),
  ],
  'it needs WS-Man; use pollers of the type redfish, which read temperatures and power': [
    ...['Wsman', 'Dell.Wsman.PowerThermal'],
  ],
  'it needs WS-Man; use Graph.VirtualMedia.Boot, or a graph that installs by network such as Graph.InstallRHEL': [
    ...['Os.Create', 'Os.Deploy'].map(ofWsman),
  ],
  'it needs WS-Man; use Graph.Bmc.Reset to restart the BMC, or Graph.Drive.SecureErase to erase drives': [
    ofWsman('Reset.Components'),
  ],
  'it needs WS-Man and server configuration profiles; use Graph.Bios.Configure for the BIOS': [
    ...['Config.Services', 'Configure.Idrac', 'Export.SCP', 'GetXml', 'Import.SCP'].map(ofWsman),
    ofWsman('UpdateSystemConfigComponents'),
  ],
  'it is a service of RackHD itself; use pollers of the type snmp': ['Snmp', 'Poller.Alert.Snmp'],
  'it needs a service of UCS Manager': ['UCS.Catalog', 'UCS.Discovery', 'UCS.Service.Profile.Discovery', 'Ucs'],
  'it needs SSH to the node; use the agent (Task.Linux.Commands)': [
    ...['Ssh.Catalog', 'Ssh.Command', 'Ssh.CopyKey', 'Ssh.Validation', 'Sftp', 'Ansible'],
  ],
  'it needs extensions of Redfish by EMC; use Graph.Redfish.Catalog and Graph.Firmware.Update': [
    ...['Emc.Redfish.Catalog', 'Emc.Compose.System', 'Emc.Diag.Update.Firmware'],
  ],
  'it is a service of RackHD itself, which the daemon does without a workflow': [
    ...['WorkItems.Clean', 'WorkItems.Run', 'Message.Cache', 'Persist.Poller.Data', 'Test.Poller', 'Ipmi'],
    'Redfish',
    ...['Poller.Alert.Ipmi.Sdr', 'Poller.Alert.Ipmi.Sel', 'Docker.Reconciler'],
  ],
  'it catalogs the computer of the server itself; discover that as a node': ['Ipmi.Catalog', 'Local.Catalog'],
  'no task here does it': [
    ...['Arista.Zerotouch', 'BootProfile', 'Clear.Sel.By.Usage', 'Os.Analyze.Repo', 'Wait.Completion.Uri'],
    ...['Wait.Sel.Events', 'WinPE.Bootstrap', 'uefi'],
  ],
};

function ofWsman(name: string): string {
  return `Dell.Wsman.${name}`;
}

const baseOf = (name: string) => (name === 'Docker.Reconciler' ? 'Task.Docker.Reconciler.Base' : `Task.Base.${name}`);

const reasons: ReadonlyMap<string, string> = new Map(
  Object.entries(missing).flatMap(([why, names]) => names.map((name) => [baseOf(name), why] as const)),
);

/**
 * Returns the name of the task that does the job of a base task, or what is missing.
 * @returns undefined for a name that is none of RackHD's base tasks
 */
export function taskOfBase(name: string, options: JsonObject): BaseTask | MissingJob | undefined {
  const implementation = Object.hasOwn(done, name) ? done[name] : undefined;
  if (implementation === undefined) {
    const why = reasons.get(name);
    return why === undefined ? undefined : { name, why };
  }
  if (!isSelection(implementation)) return baseTask(implementation);
  const selected = String(options[implementation.option]);
  const chosen = Object.hasOwn(implementation.tasks, selected) ? implementation.tasks[selected] : undefined;
  if (chosen !== undefined) return baseTask(chosen);
  return { name: `${name} with ${implementation.option} ${selected}`, why: 'no obm driver here does it' };
}

const isSelection = (one: string | BaseTask | BySelection): one is BySelection =>
  typeof one === 'object' && 'option' in one;

const baseTask = (given: string | BaseTask): BaseTask => (typeof given === 'string' ? { task: given } : given);

/** The options that select the task, which the task itself does not have. */
export const selectsBy = (name: string): string | undefined => {
  const implementation = Object.hasOwn(done, name) ? done[name] : undefined;
  return implementation !== undefined && isSelection(implementation) ? implementation.option : undefined;
};

/** Returns the name here of a task that RackHD ships; undefined if it is the same, or there is none. */
export const taskRenamed = (name: string): string | undefined =>
  Object.hasOwn(renamed, name) ? renamed[name] : undefined;

/** Returns further defaults of a task of the library in a list of tasks, as RackHD's graphs are; undefined: it has none. */
export const defaultsInList = (name: string): JsonObject | undefined =>
  Object.hasOwn(defaultsInLists, name) ? defaultsInLists[name] : undefined;

/** Every base task of RackHD that is known, with the task here, or the reason why there is none. */
export const knownBases = (): [name: string, task: string | readonly string[] | null, why: string | null][] => [
  ...Object.entries(done).map(([name, implementation]): [string, string | readonly string[], null] => [
    name,
    isSelection(implementation)
      ? Object.values(implementation.tasks).map((one) => baseTask(one).task)
      : baseTask(implementation).task,
    null,
  ]),
  ...[...reasons].map(([name, why]): [string, null, string] => [name, null, why]),
];
