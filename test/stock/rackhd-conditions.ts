/** Conditions of graphs that RackHD ships, for `npm run stock -- --rackhd CHECKOUT`. */
import type { SwitchVendor } from '../../engine/vocabulary/switch-vendors.ts';
import type { Condition } from './conditions.ts';

const FLASH = 'a firmware file of the daemon';
const firmware = (labels: readonly string[], file: string): Condition => ({
  reason: FLASH,
  files: { [file]: 'firmware' },
  options: () => Object.fromEntries(labels.map((label) => [label, { file }])),
});

const dell = (label: string, options: Record<string, unknown>): Condition => ({
  reason: 'a machine by Dell, with racadm',
  model: 'dell-r650',
  options: () => ({ [label]: options }),
});
const dellOnly: Condition = { reason: 'a machine by Dell, with racadm', model: 'dell-r650' };

/** Its drives are without volumes. */
const RAID_MODEL = 'hpe-dl360-gen11';
const volumes = (path: string, model: string): Condition => ({
  reason: 'a controller that makes volumes, and the wanted ones',
  model,
  job: /^volume: create/,
  options: () => ({
    'config-raid': {
      hddArr: [{ enclosure: 252, type: 'raid1', drives: '[0,1]' }],
      ssdStoragePoolArr: [],
      ssdCacheCadeArr: [],
      path,
      controller: 0,
    },
  }),
});

const boots: Condition = { reason: 'its job is a boot of the microkernel', job: /^boot: network agent$/ };

const installs = (defaults: Record<string, unknown>): Condition => ({
  reason: 'a version, and a disk',
  options: () => ({ defaults }),
});

const container = (label: string, method: string): Condition => ({
  reason: 'a Docker host',
  options: (_, { port }) => ({ [label]: { host: '127.0.0.1', port, containerId: `Graph.Docker.${method}` } }),
});

const ofSwitch = (graph: string, more: Record<string, unknown> = {}): Condition => ({
  reason: "RackHD's service for switches, named by `onNetwork` in the configuration",
  options: () => ({
    defaults: {
      endpoint: { ipaddress: '10.1.1.30', username: graph, password: 'secret', switchType: 'cisco' },
      ...more,
    },
  }),
});

const zeroTouch = (switchVendor: SwitchVendor, more: Partial<Condition> = {}): Condition => ({
  reason: 'a switch of its vendor',
  switchVendor,
  ...more,
});

export const rackhdConditions: Readonly<Record<string, Condition>> = {
  'Graph.Bootstrap.Decommission.Node': {
    reason: 'an erase instead of sgdisk, and its settings',
    options: () => ({
      'when-secure-erase': { useSecureErase: 'true' },
      'drive-secure-erase': { eraseSettings: [{ disks: ['sda'], tool: 'scrub', arg: 'nnsa' }] },
      'remove-bmc-credentials': { users: ['guest'] },
    }),
  },
  'Graph.Bootstrap.Megaraid.Configure': volumes('/opt/MegaRAID/storcli/storcli64', RAID_MODEL),
  'Graph.Bootstrap.With.BMC.Credentials.Remove': {
    reason: 'the account that it removes',
    before: 'Graph.Bmc.CreateAccount',
    job: /^account: delete/,
    options: () => ({ 'remove-bmc-credentials-graph': { graphOptions: { defaults: { users: ['nodewright'] } } } }),
  },
  'Graph.Bootstrap.With.BMC.Credentials.Setup': {
    reason: 'a BMC that speaks IPMI',
    isIpmi: true,
    job: /^account: create/,
  },
  'Graph.BootstrapRancher': boots,
  'Graph.BootstrapUbuntu': boots,
  'Graph.BootstrapUbuntuMocks': boots,
  'Graph.Catalog.Intel.Flashupdt': { reason: '', job: /^catalog: flashupdt$/ },
  'Graph.ClearSEL.Node': { reason: 'a log with entries', before: 'Graph.Reset.Node' },
  'Graph.Dell.Configure.Idrac': dell('set-iDRAC-ip', { ip: '10.1.1.9', netMask: '255.255.255.0', gateway: '10.1.1.1' }),
  'Graph.Dell.Disable.VTx': dellOnly,
  'Graph.Dell.Enable.VTx': { ...dellOnly, before: 'Graph.Dell.Disable.VTx' },
  'Graph.Dell.perccli.Catalog': { ...dellOnly, reason: 'a machine by Dell, with perccli', job: /^catalog: megaraid/ },
  'Graph.Dell.Racadm.GetBIOS': dellOnly,
  'Graph.Dell.Racadm.GetConfigCatalog': dellOnly,
  'Graph.Dell.Racadm.GetFirmwareListCatalog': dellOnly,
  'Graph.Dell.Racadm.ResetComponents': {
    ...dell('dell-racadm-Reset-Components', { components: ['bios'] }),
    before: 'Graph.Dell.Disable.VTx',
  },
  'Graph.Dell.Racadm.SetBIOS': {
    ...dell('dell-racadm-set-bios', { serverFilePath: 'bios.xml' }),
    files: { 'bios.xml': '<Attribute Name="ProcVirtualization">Disabled</Attribute>' },
  },
  'Graph.Dell.Racadm.Update.Firmware': {
    ...dell('dell-racadm-update-firmware', { serverFilePath: 'bios-2.1.0.exe' }),
    files: { 'bios-2.1.0.exe': 'firmware' },
    job: /^(update: |bmc: versions)/,
  },
  'Graph.Docker.ListContainers': {
    reason: 'a Docker host; it only reads',
    options: (_, { port }) => ({ 'docker-list': { host: '127.0.0.1', port } }),
    changesNothing: true,
  },
  'Graph.Docker.Restart': container('docker-restart', 'Restart'),
  'Graph.Docker.Run': {
    reason: 'a Docker host',
    options: (_, { port }) => ({ 'docker-run': { host: '127.0.0.1', port, image: 'Graph.Docker.Run' } }),
  },
  'Graph.Docker.Start': container('docker-start', 'Start'),
  'Graph.Docker.Stop': container('docker-stop', 'Stop'),
  'Graph.Flash.Quanta': {
    reason: FLASH,
    model: RAID_MODEL,
    files: { 'all-9.9.9.bin': 'firmware' },
    options: () =>
      Object.fromEntries(
        ['megaraid', 'bios', 'bmc'].flatMap((part) =>
          [`download-${part}-firmware`, `flash-${part}`].map((label) => [label, { file: 'all-9.9.9.bin' }] as const),
        ),
      ),
  },
  'Graph.Flash.Quanta.BIOS': firmware(['download-bios-firmware', 'flash-bios'], 'bios-9.9.1.bin'),
  'Graph.Flash.Quanta.Bmc': firmware(['download-bmc-firmware', 'flash-bmc'], 'bmc-9.9.2.bin'),
  'Graph.Flash.Quanta.MegaRAID': {
    ...firmware(['download-megaraid-firmware', 'flash-megaraid'], 'raid-9.9.3.rom'),
    model: RAID_MODEL,
  },
  'Graph.GenerateSku': { reason: 'a SKU that was made after the discovery', newSku: true },
  'Graph.GenerateTags': { reason: 'tags are given with each new catalog and each new tag', changesNothing: true },
  'Graph.Get.Switch.Config': ofSwitch('Graph.Get.Switch.Config'),
  'Graph.Get.Switch.Version': ofSwitch('Graph.Get.Switch.Version'),
  'Graph.BootLiveCD': {
    reason: 'a live system that reports its start; its job is that boot',
    meanwhile: 'notifications once booted',
    job: /^boot: network/,
  },
  'Graph.InstallCoreOS': installs({ version: 'current' }),
  'Graph.InstallPhotonOS': installs({ version: '1.0' }),
  'Graph.InstallSUSE': installs({ version: '42.3', installDisk: '/dev/sda' }),
  'Graph.InstallWindowsServer': {
    reason: 'an account of the share',
    options: () => ({ defaults: { smbUser: 'user', smbPassword: 'secret' } }),
  },
  'Graph.PDU.Discovery': { reason: 'an SNMP agent', isSwitch: true },
  'Graph.Quanta.storcli.Catalog': {
    reason: 'a controller that makes volumes',
    model: RAID_MODEL,
    job: /^catalog: megaraid/,
  },
  'Graph.Raid.Create.MegaRAID': { reason: 'a controller that makes volumes', model: RAID_MODEL },
  'Graph.Raid.Create.Perccli': volumes('/opt/MegaRAID/perccli/perccli64', 'dell-r650'),
  'Graph.Raid.Delete.MegaRAID': {
    reason: 'volumes',
    model: RAID_MODEL,
    before: 'Graph.Raid.Configure',
    job: /^volume: delete/,
  },
  'Graph.Remove.Bmc.Credentials': {
    reason: 'the account that it removes',
    before: 'Graph.Bmc.CreateAccount',
    options: () => ({ 'remove-bmc-credentials': { users: ['nodewright'] } }),
  },
  'Graph.Reset.Soft.Node': { reason: '', job: /^power: / },
  'Graph.McReset': { reason: '', job: /^power: / },
  'Graph.Set.Bmc.Credentials': { reason: 'a BMC that speaks IPMI', isIpmi: true },
  'Graph.ShellCommands': {
    reason: 'a command',
    options: () => ({ 'shell-commands': { commands: [{ command: 'sudo ipmitool mc info' }] } }),
    job: /^boot: network agent$/,
  },
  'Graph.SKU.Switch.Discovery.Active': {
    reason: 'an SNMP agent, and the graph of the vendor',
    isSwitch: true,
    options: () => ({ 'vendor-discovery-graph': { graphName: 'Graph.Switch.Discovery' } }),
  },
  'Graph.Switch.Dell.Configuration': zeroTouch('dell', { job: /^account: set rackhd of the switch$/ }),
  'Graph.Switch.Dell.Nos.Install': zeroTouch('onie', {
    files: { 'PKGS_OS10-Enterprise-10.3.1E.121-installer-x86_64.bin': 'an installer' },
    job: /^install: /,
  }),
  'Graph.Switch.Discovery': { reason: 'an SNMP agent', isSwitch: true },
  'Graph.Switch.Discovery.Arista.Ztp': zeroTouch('arista'),
  'Graph.Switch.Discovery.Brocade.Ztp': zeroTouch('brocade'),
  'Graph.Switch.Discovery.Cisco.Poap': zeroTouch('cisco'),
  'Graph.Switch.Discovery.Dell.Bmp': zeroTouch('dell'),
  'Graph.Switch.Discovery.Dell.Onie': zeroTouch('onie'),
  'Graph.Switch.SKU.Discovery.Hooks.Post': { reason: 'publishes that the node is discovered', changesNothing: true },
  'Graph.Update.Switch.Firmware': ofSwitch('Graph.Update.Switch.Firmware', {
    switchModel: 'nexus9k',
    firmwareImages: [{ imageType: 'nxos', firmwareImage: 'http://10.1.1.1/nxos.bin' }],
  }),
  'Graph.Write.Quanta.BIOS.NVRAM': {
    reason: 'a file of settings',
    files: { 'nvram.txt': 'QuietBoot=false\nHyperThreading=Disabled\n' },
    options: () => ({ defaults: { file: 'nvram.txt' } }),
  },
};
