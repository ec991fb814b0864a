/**
 * `storcli64` and `perccli64`, the tool of Broadcom's RAID controllers, with JSON as version 7 prints it. Volumes are those that the
 * BMC shows; a change of the tool has its effect immediately.
 */
import { type RaidLevel, raidLevels, raidLevelViolation } from '../../../vocabulary/raid-levels.ts';
import { nextVersion } from '../machine/bmc-firmware.ts';
import type { VolumeState } from '../machine/machine-state.ts';
import { capacityOf, changeVolume } from '../machine/raid-volumes.ts';
import type { Machine } from '../machine/twin-machine.ts';
import { fileNameIn } from './boot-files.ts';
import { type CommandAnswer, type CommandRun, commandAnswer, failedWith } from './command-run.ts';
import { type DriveFacts, drivesOfMachine } from './drive-facts.ts';

const ENCLOSURE = 252;
const [GIB, TIB] = [2 ** 30, 2 ** 40];

/** @returns undefined: it does not have the command */
export async function storcli(args: readonly string[], run: CommandRun): Promise<CommandAnswer | undefined> {
  const { machine } = run;
  const words = args.join(' ').replace(/(?<=\/eall)(?=\/sall)/, ' ');
  if (words === '-v') return commandAnswer(STORCLI_VERSION);
  const hasRaid = hasController(machine);
  if (words === 'show ctrlcount J') return json({ 'Controller Count': hasRaid ? 1 : 0 });
  const [, controller, rest = ''] = /^\/c(\d+) ?(.*)$/.exec(words) ?? [];
  if (controller === undefined) return undefined;
  if (!hasRaid || controller !== '0') return failure('Controller not found');
  return actOn(run, rest);
}

export const hasController = (machine: Machine): boolean =>
  machine.facts.model.tree.volumes !== undefined && slotsOf(machine).length > 0;

async function actOn(run: CommandRun, action: string): Promise<CommandAnswer | undefined> {
  const { machine } = run;
  if (action === 'show all J') return json(controllerOf(machine));
  if (action === '/eall /sall show all J') return json(drivesIn(machine));
  if (action === '/vall show all J') return json(volumesIn(machine));
  const [, removed] = /^\/v(all|\d+) del force$/.exec(action) ?? [];
  if (removed !== undefined) return deleteVolumes(machine, removed);
  const [, image] = /^download file=(\S+)/.exec(action) ?? [];
  if (image !== undefined) return download(run, image);
  const [, wanted] = /^add vd (.*)$/.exec(action) ?? [];
  return wanted === undefined ? undefined : addVolumes(machine, wanted);
}

const STORCLI_VERSION =
  '\n     Storage Command Line Tool  Ver 007.2807.0000.0000 Dec 22, 2023\n\n     (c)Copyright 2023, Broadcom Inc. All Rights Reserved.\n\n';

const document = (status: 'Success' | 'Failure', text: string, data?: object) =>
  `${JSON.stringify({
    Controllers: [
      {
        'Command Status': { Controller: 0, Status: status, Description: text },
        ...(data !== undefined && { 'Response Data': data }),
      },
    ],
  })}\n`;

const json = (data: object): CommandAnswer => commandAnswer(document('Success', 'None', data));
const success = (text: string): CommandAnswer =>
  commandAnswer(`Controller = 0\nStatus = Success\nDescription = ${text}\n`);
const failure = (text: string): CommandAnswer => failedWith(1, text, document('Failure', text));

interface Slot extends DriveFacts {
  /** Such as `252:1`. */
  place: string;
  volume: VolumeState | undefined;
}

/** NVMe drives are on other buses. */
export const slotsOf = (machine: Machine): Slot[] =>
  drivesOfMachine(machine)
    .filter(({ model }) => model.kind !== 'nvme')
    .map((drive) => ({
      ...drive,
      place: `${ENCLOSURE}:${drive.state.model}`,
      volume: (machine.state.bmc.volumes ?? []).find(({ drives }) => drives.includes(drive.state.serial)),
    }));

export const volumeNumber = ({ id }: VolumeState): number => Number(/\d+$/.exec(id)?.[0] ?? 0);

const sizeText = (bytes: number): string =>
  bytes >= TIB ? `${(bytes / TIB).toFixed(3)} TB` : `${(bytes / GIB).toFixed(3)} GB`;

export const slotRow = ({ place, state, model, volume }: Slot) => ({
  'EID:Slt': place,
  DID: state.model,
  State: volume === undefined ? 'UGood' : 'Onln',
  DG: volume === undefined ? '-' : volumeNumber(volume),
  Size: sizeText(model.bytes),
  Intf: model.kind.toUpperCase(),
  Med: model.isRotational ? 'HDD' : 'SSD',
  SED: 'N',
  PI: 'N',
  SeSz: '512B',
  Model: model.model,
  Sp: 'U',
});

export const volumeRow = (volume: VolumeState) => ({
  'DG/VD': `${volumeNumber(volume)}/${volumeNumber(volume)}`,
  TYPE: volume.raid,
  State: 'Optl',
  Access: 'RW',
  Consist: 'Yes',
  Cache: 'RWBD',
  sCC: '-',
  Size: sizeText(volume.bytes),
  Name: volume.name,
});

function controllerOf(machine: Machine): object {
  const { model, serial } = machine.facts;
  const component = raidComponent(machine);
  const version = machine.state.bmc.versions[component?.id ?? ''] ?? component?.version ?? '';
  const slots = slotsOf(machine);
  const volumes = machine.state.bmc.volumes ?? [];
  return {
    Basics: { Controller: 0, Model: component?.name ?? `${model.manufacturer} RAID`, 'Serial Number': serial },
    Version: { 'Firmware Package Build': version, 'Firmware Version': version, 'Driver Name': 'megaraid_sas' },
    Status: { 'Controller Status': 'Optimal' },
    'Physical Drives': slots.length,
    'PD LIST': slots.map(slotRow),
    'Virtual Drives': volumes.length,
    'VD LIST': volumes.map(volumeRow),
  };
}

const drivesIn = (machine: Machine): object =>
  Object.fromEntries(
    slotsOf(machine).flatMap((slot) => {
      const name = `Drive /c0/e${ENCLOSURE}/s${slot.state.model}`;
      const details = {
        SN: slot.state.serial,
        'Manufacturer Id': slot.model.vendor,
        'Model Number': slot.model.model,
        WWN: slot.wwn.replace(/^0x/, '').toUpperCase(),
        'Firmware Revision': slot.model.firmware,
      };
      return [
        [name, [slotRow(slot)]],
        [`${name} - Detailed Information`, { [`${name} Device attributes`]: details }],
      ];
    }),
  );

const volumesIn = (machine: Machine): object =>
  Object.fromEntries(
    (machine.state.bmc.volumes ?? []).flatMap((volume) => {
      const number = volumeNumber(volume);
      const slots = slotsOf(machine).filter((slot) => slot.volume === volume);
      return [
        [`/c0/v${number}`, [volumeRow(volume)]],
        [`PDs for VD ${number}`, slots.map(slotRow)],
      ];
    }),
  );

/** @param wanted such as `each type=raid0`, or `type=raid1 name=a size=200G drives=252:0,1` */
async function addVolumes(machine: Machine, wanted: string): Promise<CommandAnswer> {
  const values = Object.fromEntries([...wanted.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value]) => [name, value]));
  const raid = raidLevels.find((level) => level.toLowerCase() === values.type?.toLowerCase());
  if (raid === undefined) return failure(`syntax error, unexpected ${wanted}`);
  const free = slotsOf(machine).filter(({ volume }) => volume === undefined);
  const places = placesIn(values.drives ?? '');
  const groups = /^each\b/.test(wanted)
    ? free.map((slot) => [slot])
    : [places.map((place) => free.find((slot) => slot.place === place))];
  for (const group of groups) {
    const slots = group.filter((slot) => slot !== undefined);
    const problem =
      slots.length < group.length
        ? 'physical disk does not exist or is in use'
        : raidLevelViolation(raid, slots.length);
    if (problem !== undefined) return failure(problem);
    await addVolume(machine, raid, slots, values);
  }
  return groups.length === 0 ? failure('no unconfigured good drives') : success('Add VD Succeeded.');
}

/** @param list such as `252:0,1`, `252:0,252:1`, `252:[0,1]` or `252:0-3` */
function placesIn(list: string): string[] {
  let enclosure = '';
  return list
    .replace(/[[\]]/g, '')
    .split(',')
    .flatMap((part) => {
      const [slots = '', given = enclosure] = part.split(':').toReversed();
      enclosure = given;
      const [first = 0, last = first] = slots.split('-').map(Number);
      return Array.from({ length: Math.min(last - first + 1, 64) }, (_, at) => `${given}:${first + at}`);
    });
}

async function addVolume(
  machine: Machine,
  raid: RaidLevel,
  slots: readonly Slot[],
  { name, size }: Record<string, string | undefined>,
): Promise<void> {
  const { state } = machine;
  state.bmc.lastId += 1;
  const serials = slots.map((slot) => slot.state.serial);
  const most = capacityOf(
    raid,
    slots.map(({ model: { bytes } }) => bytes),
  );
  const create: VolumeState = {
    id: `Volume.${state.bmc.lastId}`,
    storage: slots[0]?.model.kind === 'sata' ? 'SATA' : 'SAS',
    name: (name ?? `VD${state.bmc.lastId}`).slice(0, 15),
    raid,
    drives: serials,
    bytes: Math.min(most, bytesOf(size) ?? most),
  };
  changeVolume(state, { create });
  const what = `create ${create.name} ${raid} ${serials.join(' ')}`;
  await machine.save({ kind: 'volume', what, outcome: 'done', by: 'agent' });
}

function bytesOf(size: string | undefined): number | undefined {
  const [, amount = '', unit = ''] = /^(\d+)([GTM])B?$/i.exec(size ?? '') ?? [];
  const units: Record<string, number> = { M: 2 ** 20, G: GIB, T: TIB };
  return amount === '' ? undefined : Number(amount) * (units[unit.toUpperCase()] ?? 1);
}

async function deleteVolumes(machine: Machine, which: string): Promise<CommandAnswer> {
  const volumes = (machine.state.bmc.volumes ?? []).filter(
    (volume) => which === 'all' || volumeNumber(volume) === Number(which),
  );
  if (volumes.length === 0) return failure('No VDs have been configured.');
  for (const { id, name, drives } of volumes) {
    changeVolume(machine.state, { remove: id });
    const what = `delete ${name} ${drives.join(' ')}`;
    await machine.save({ kind: 'volume', what, outcome: 'done', by: 'agent' });
  }
  return success('Delete VD succeeded');
}

const raidComponent = ({ facts }: Machine) =>
  facts.model.firmware.find(({ id, name }) => /RAID|\bMR\d|PERC/i.test(`${id} ${name}`));

async function download({ machine, files }: CommandRun, path: string): Promise<CommandAnswer> {
  const component = raidComponent(machine);
  if (files.at(path) === undefined) return failure(`file ${path} not found`);
  if (component === undefined) return failure('the controller has no updatable firmware');
  const { versions } = machine.state.bmc;
  versions[component.id] = nextVersion(fileNameIn(path), versions[component.id] ?? component.version);
  const what = `${component.id} from ${fileNameIn(path)}`;
  await machine.save({ kind: 'update', what, outcome: 'done', by: 'agent' });
  return success('F/W Flash Completed. Please reboot the system for the changes to take effect');
}
