/** The state of a machine, as its twin keeps it: JSON. Times are field time in milliseconds. */
import type { RaidLevel } from '../../../vocabulary/raid-levels.ts';
import type { LedgerNote } from './ledger.ts';

export type AttributeValue = string | number | boolean;

/** `since` a power change, and what the machine does. `until`: the end of the phase, where it has a fixed time. */
interface PowerState {
  is: 'Off' | 'On' | 'PoweringOff' | 'PoweringOn';
  /** The state after a change that takes time. */
  next?: 'Off' | 'On' | 'cycle';
  until?: number;
}

/**
 * `post`: the firmware's own test; `pxe`: asks the daemon; `media`: reads the CD of its BMC; `loading`: a kernel starts; `agent`: a microkernel with its agent;
 * `installing`: an installer; `disk`: the installed system, or nothing where the disk has none.
 */
export type MachinePhase =
  | { name: 'off' }
  | { name: 'post'; until: number }
  | { name: 'pxe' }
  | { name: 'media' }
  | { name: 'loading'; until: number; image: KernelImage }
  | { name: 'agent'; image: KernelImage }
  | { name: 'installing'; image: KernelImage; until: number; step: number; plan?: InstallPlan }
  | { name: 'disk'; until: number };

/** The words of the iPXE script that the daemon gave, or those that the microkernel reads on its CD. */
export interface KernelImage {
  kernel: string;
  /** Words of the kernel's command line. */
  cmdline: string;
}

export interface DriveState {
  name: string;
  serial: string;
  wwn: string;
  /** Which model's drive it is, counted from 0. */
  model: number;
  /** A text instead of all data of the drive; it changes with each write. */
  content: string;
  /** The system that boots from it. */
  system?: InstalledSystem;
  /** Absent: that of the model. */
  firmware?: string;
  isMissing?: boolean;
  isSlow?: boolean;
}

export interface InstalledSystem {
  name: string;
  hostname: string;
  /** When it was installed: the newest of several boots. */
  since: number;
  /** URLs that it calls at its first boot. */
  callbacks: string[];
}

/** The next steps of an installer, from its answer file. */
export interface InstallPlan {
  system: string;
  hostname: string;
  /** The drive, as the kernel names it; null: the machine lacks it. */
  drive: string | null;
  /** Fetched after the installation; it may have the callbacks of the first boot. */
  postScript?: string;
  firstBoot: string[];
  /** The URL that reports the end. */
  succeeded?: string;
  failed?: string;
}

/** An image that a job writes. */
export interface ImageOfJob {
  url: string;
  sha256: string;
  /** Bytes as it is unpacked. */
  bytes: number;
  isPacked: boolean;
  isGrown: boolean;
  /** When the disk is written from, after the whole image was checked. */
  writesAt: number;
  isWriting: boolean;
  system: InstalledSystem;
  /** Why it is rejected; the disk is unchanged. */
  problem?: { code: string; message: string };
}

/** A test of a burn-in. */
export interface BurnInOfJob {
  /** The variables of its job. */
  wanted: Record<string, string>;
  /** Once it has ended. */
  report?: string;
}

/** An update of firmware in band. */
export interface UpdateOfJob {
  /** The variables of its job. */
  wanted: Record<string, string>;
  /** Its tool will fail. */
  fails: boolean;
  /** The exit code of its tool, once it has ended. */
  code?: number;
}

/** A job that the agent started; it is lost at the next boot. */
export interface DriveJob {
  id: string;
  kind: 'erase' | 'image' | 'burn-in' | 'update';
  /** '' for a burn-in, and for a package of a vendor. */
  drive: string;
  /** The drive on which it began: another one may have its name since. */
  serial: string;
  started: number;
  /** When it ends, if nothing stops it. */
  until: number;
  stopped?: number;
  /** The exit code, once it has ended. */
  exit?: number;
  tool: string;
  arg: string;
  contentBefore: string;
  image?: ImageOfJob;
  burnIn?: BurnInOfJob;
  update?: UpdateOfJob;
}

const kindsOfLines = { erase: 'erase', image: 'install', 'burn-in': 'burn-in', update: 'update' } as const;

/** The line of the ledger for a job. */
export const lineOfJob = ({ kind, drive, tool, arg }: DriveJob, outcome: string): LedgerNote => ({
  kind: kindsOfLines[kind],
  what: `${drive} ${tool} ${arg}`.trim(),
  outcome,
  by: 'agent',
});

/** A volume of a RAID controller. */
export interface VolumeState {
  id: string;
  /** The controller, as in the path of its storage. */
  storage: string;
  name: string;
  raid: RaidLevel;
  /** Serial numbers. */
  drives: string[];
  bytes: number;
}

/** `remove`: the id of a volume. */
export type VolumeChange = { create: VolumeState } | { remove: string };

/** It changes `volume`, or components. */
export interface UpdateTask {
  id: string;
  volume?: VolumeChange;
  /** Ids of components. */
  components: string[];
  /** The name of the image. */
  image: string;
  started: number;
  until: number;
  /** `fetching`: its image is not there yet; `pending`: it waits for a restart of the machine. */
  outcome: 'fetching' | 'running' | 'pending' | 'succeeded' | 'failed';
  /** The URL of the image, while it is fetched. */
  source?: string;
  /** Once its image is there, it waits for a restart of the machine. */
  appliesAtReset?: true;
  /** Set for a task that ends so at `until`; `breaks`: its download ends early; `hangs`: it never ends. */
  fault?: 'breaks' | 'fails' | 'hangs';
  /** Why its image could not be fetched. */
  problem?: ImageProblem;
}

/** A BMC did not get an image. */
export interface ImageProblem {
  /** The message of the registry `Base` that says why; absent: the transfer did not end well. */
  id?:
    | 'CouldNotEstablishConnection'
    | 'ResourceMissingAtURI'
    | 'ResourceAtUriUnauthorized'
    | 'ResourceAtUriInUnknownFormat';
  /** Those of the message; the first one is the URL, without its secrets. */
  words: string[];
}

export interface AccountState {
  id: string;
  user: string;
  password: string;
  role: 'Administrator' | 'Operator' | 'ReadOnly';
  isEnabled: boolean;
}

export interface LogEntry {
  id: number;
  at: number;
  severity: 'OK' | 'Warning' | 'Critical';
  message: string;
  sensor?: string;
}

export interface Subscription {
  id: string;
  destination: string;
  context: string;
  protocol: string;
  /** Empty: all. */
  eventTypes: string[];
}

/** State that a BMC retains when its machine is off. Sessions are not here: they end with the process. */
export interface BmcState {
  accounts: AccountState[];
  light: 'Off' | 'Lit' | 'Blinking';
  override: { target: string; enabled: 'Disabled' | 'Once' | 'Continuous'; mode: 'UEFI' | 'Legacy' };
  /** Attributes that differ from those of the model. */
  bios: Record<string, AttributeValue>;
  /** Set, and applied at the next reset. */
  pendingBios: Record<string, AttributeValue>;
  /** Version by id of the component; `BIOS` and `BMC` are always there. */
  versions: Record<string, string>;
  /** A version of the BIOS that the next reset applies. */
  stagedBios?: string;
  /** The latest ones, the oldest first. */
  tasks: UpdateTask[];
  volumes?: VolumeState[];
  /** Those that the next reset makes. */
  pendingVolumes?: VolumeChange[];
  /** The inserted image by id of the drive. */
  media: Record<string, string>;
  log: LogEntry[];
  /** The id of the newest entry, also after a clear. */
  lastEntry: number;
  /** The last number of an account, a task, or a subscription. */
  lastId: number;
  /** The event service is disabled: no alerts are sent. */
  isSilenced?: boolean;
  subscriptions: Subscription[];
  /** Settings of a vendor's extension that were changed. */
  vendor?: Record<string, string>;
  /** How far its clock is ahead. */
  clockMs?: number;
  /** The BMC restarts until then, and does not answer. */
  restartsUntil?: number;
}

export interface ArrayState {
  uuid: string;
  name: string;
  raid: RaidLevel;
  /** Serial numbers. */
  drives: string[];
  bytes: number;
}

export interface MachineState {
  name: string;
  power: PowerState;
  phase: MachinePhase;
  /** A new one at each boot. */
  bootId: string;
  bmc: BmcState;
  drives: DriveState[];
  /** Arrays of Linux; each is there while its drives have its content. */
  arrays?: ArrayState[];
  jobs: DriveJob[];
  /** The reports of changes of volumes in band since the boot, by the name of the job. */
  raidReports?: Record<string, string>;
  outageUntil?: number;
  /** Its outlet of the PDU is off. `wasOn`: it starts when the outlet is switched on. */
  outlet?: { wasOn: boolean };
  /** Each notification is sent twice. */
  notifiesTwice?: boolean;
  /** Its memory has errors. */
  hasBadMemory?: boolean;
  /** Its processors become too hot under load. */
  isHot?: boolean;
  /** Another address than that of its facts, after a change of its lease. */
  address?: string;
  /** Its node, once the daemon has said it. */
  node?: string;
  /** Where its obm leads, once the twin has put it. */
  obmUri?: string;
  /** Lines of the ledger that were written for it. */
  told: number;
}
