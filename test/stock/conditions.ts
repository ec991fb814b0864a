/** Conditions that a graph needs and that its example cannot state: each is what its user would do. */
import { createHash } from 'node:crypto';
import type { Model } from '../../engine/hardware/twin/machine/model.ts';
import type { SwitchVendor } from '../../engine/vocabulary/switch-vendors.ts';
import type { OutsideServices } from './outside-services.ts';
import { rackhdConditions } from './rackhd-conditions.ts';
import { redfishConditions } from './redfish-conditions.ts';

/** Options by label. */
export type StockOptions = Readonly<Record<string, Record<string, unknown>>>;

/** The access to a machine's BMC. */
export interface BmcAccess {
  /** An origin of Redfish, or such as `ipmi://127.1.1.1:6623`. */
  url: string;
  user: string;
  password: string;
}

export interface Condition {
  /** Why the graph needs it. */
  reason: string;
  /** The machine's model; by default `MODEL`. */
  model?: Model['name'];
  /** The machine's BMC speaks IPMI only. */
  isIpmi?: boolean;
  /** A graph that runs before, with its example. */
  before?: string;
  /** Files of the daemon, by name. */
  files?: Readonly<Record<string, string>>;
  /** The node has the SNMP settings of a switch. */
  isSwitch?: true;
  /** The machine is a switch of this vendor, which boots by zero-touch provisioning. */
  switchVendor?: SwitchVendor;
  /** A SKU that the node fits is made before. */
  newSku?: true;
  /** Options besides those of the example. */
  options?: (bmc: BmcAccess, outside: OutsideServices) => StockOptions;
  /** An event outside of the daemon, while the graph runs. */
  meanwhile?: 'restart' | 'notifications' | 'notifications once booted';
  /** The graph changes neither machine nor record, by design. */
  changesNothing?: boolean;
  /** The changes that are its job, as the row has them; by default all but power, boots and their overrides. */
  job?: RegExp;
}

const power = /^power: /;

/** Its BMC speaks HTTP, and its drives are erased soon. */
export const MODEL = 'open-d54q';

/** In the examples, a server of files. A twin sends to this computer only, so it is replaced by one there. */
export const EXAMPLE_SERVER = 'http://10.1.1.1';

const FIRMWARE = 'firmware';
const sha256 = createHash('sha256').update(FIRMWARE).digest('hex');
const inBandUpdates = [
  { kind: 'nvme', model: 'SAMSUNG MZQL23T8HCLS*', version: 'GDC5902Q', file: 'GDC5902Q.bin', sha256 },
  { kind: 'sata', model: 'INTEL SSDSCKKB240G8', version: 'XC311151', file: 'XC311151.bin', sha256 },
  {
    kind: 'package',
    model: 'QuantaGrid D54Q-2U',
    version: '3B05.2',
    file: 'bios-3B05.2.bin',
    sha256,
    package: { versionCommand: 'dmidecode -s bios-version', restartCodes: [2] },
  },
];

const inBandFiles = Object.fromEntries(inBandUpdates.map(({ file }) => [file, FIRMWARE]));

export const shippedConditions: Readonly<Record<string, Condition>> = {
  'Graph.Baseline.Apply': {
    reason: 'components, attributes, devices of a vendor',
    files: inBandFiles,
    options: () => ({
      compare: {
        // The package is one of the BIOS, which the BMC updates here.
        inBand: inBandUpdates.filter(({ kind }) => kind !== 'package'),
        firmware: [
          { component: 'BIOS', version: '2.1.0', image: `${EXAMPLE_SERVER}/bios-2.1.0.bin`, applyTime: 'OnReset' },
        ],
        bios: { BootMode: 'Legacy' },
      },
    }),
  },
  'Graph.Bios.Configure': {
    reason: 'attributes are those of a vendor',
    options: () => ({ configure: { attributes: { BootMode: 'Legacy' } } }),
  },
  'Graph.Bmc.CreateAccount': {
    reason: 'in band: the agent still asks after the discovery',
    options: ({ url }) => ({
      'create-account': { service: 'redfish-obm-service', protocol: 'http', port: Number(new URL(url).port) },
    }),
  },
  'Graph.Dell.Configure.Redfish.Alerting': { reason: 'for Dell nodes', model: 'dell-r650' },
  'Graph.Demo.InstallOs': {
    reason: 'waits for two notifications, and changes nothing',
    meanwhile: 'notifications',
    changesNothing: true,
  },
  'Graph.Firmware.Update.InBand': {
    reason: 'stored files, and devices of their models',
    files: inBandFiles,
    options: () => ({ update: { updates: inBandUpdates } }),
  },
  'Graph.IdentifyOff.Node': { reason: 'a light that is on', before: 'Graph.IdentifyOn.Node' },
  'Graph.noop-example': { reason: 'a template, whose steps change nothing', changesNothing: true },
  'Graph.Obm.Ipmi.CreateSettings': {
    reason: 'a BMC that speaks IPMI, and its account',
    isIpmi: true,
    options: ({ url, user, password }) => ({
      'create-ipmi-obm-settings': { user, password, port: Number(new URL(url).port || '623') },
    }),
  },
  'Graph.Node.Commission': {
    reason: 'by Redfish; its other graphs have rows of their own',
    options: () => ({
      'create-account': { graphOptions: { 'create-account': { by: 'redfish' } } },
      baseline: { graphOptions: { compare: { bios: { BootMode: 'Legacy' } } } },
    }),
  },
  'Graph.PowerOn.Node': { reason: 'a machine that is off', job: power, before: 'Graph.PowerOff.Node' },
  'Graph.Raid.Clear': { reason: 'volumes', model: 'hpe-dl360-gen11', before: 'Graph.Raid.Configure' },
  'Graph.Raid.Configure': { reason: 'a controller that makes volumes', model: 'hpe-dl360-gen11' },
  'Graph.Raid.Configure.InBand': { reason: "a controller and its vendor's tool", model: 'hpe-dl360-gen11' },
  'Graph.Raid.Plan.InBand': {
    reason: "a controller and its vendor's tool; no volume changes",
    model: 'hpe-dl360-gen11',
    changesNothing: true,
  },
  'Graph.Raid.Plan': {
    reason: 'a controller that makes volumes; it only reads',
    model: 'hpe-dl360-gen11',
    changesNothing: true,
  },
  'Graph.Reboot.Node': { reason: '', job: power },
  'Graph.Reset.Node': { reason: '', job: power },
  'Graph.PowerOff.Node': { reason: '', job: power },
  'Graph.Bmc.Reset': { reason: '', job: power },
  'Graph.SKU.Discovery': { reason: 'switches no power: a person restarts the machine', meanwhile: 'restart' },
  'Graph.Redfish.Discovery': {
    reason: 'the address of a BMC',
    options: ({ url }) => ({ discover: { addresses: [url] } }),
  },
  'Graph.Snmp.Discovery': { reason: 'an SNMP agent', isSwitch: true },
  'Graph.Switch.ZeroTouch': { reason: 'a switch with the agent of the daemon', switchVendor: 'sonic' },
  'Graph.VirtualMedia.Eject': { reason: 'an image that is inserted', before: 'Graph.VirtualMedia.Boot' },
};

export const conditions: Readonly<Record<string, Condition>> = {
  ...rackhdConditions,
  ...redfishConditions,
  ...shippedConditions,
};

/** The files of that server, by path. */
export const exampleFiles: Readonly<Record<string, string>> = {
  '/bios-2.1.0.bin': 'firmware',
  '/installer.iso': 'an installer',
  '/debian-12.raw': 'an image',
  '/esxi/8.0/boot.cfg': 'bootstate=0\nkernel=/b.b00\nmodules=/jumpstrt.gz\nbuild=\n',
};
