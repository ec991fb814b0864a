/**
 * Starts, until the line `ready`: their time, the CPU time of all their processes, and their memory then. On an empty
 * folder, on its own folder, with 10,000 parked workflows; and on services.
 */
import { join } from 'node:path';
import type { ConfigFile } from '../../engine/config/config.ts';
import { type BenchDaemon, startDaemon } from './daemon.ts';
import { type Figure, type Goal, type Line, median, type Place } from './figure.ts';
import { IN_FLIGHT, isParked, PARKED, park, quiet } from './parked.ts';
import { withServices } from './services.ts';

const STARTS = 5;
/** Fewer, so that the whole bench ends in time. */
const FULL_STARTS = 3;

export const coldstart: Figure = async (place) => {
  const lines = await firstAndLater(place, 'coldstart');
  const parked = await withParked(place);
  const full = await starts(FULL_STARTS, () => parked);
  await start(parked, {}, 'SIGKILL');
  const { startMs: afterKill } = await start(parked);
  return [
    ...lines,
    ms(`with ${PARKED} parked workflows`, median(full.map(({ startMs }) => startMs))),
    ms('the same after a kill -9', afterKill),
  ];
};

export const servicesColdstart: Figure = (place) =>
  withServices(({ config }) => firstAndLater(place, 'services-coldstart', config));

const CPU: Goal = { kind: 'most', value: 1.5 };
const RESIDENT: Goal = { kind: 'most', value: 150 };
const MB = 1_000_000;

/** Each first start has a folder of its own, without results of earlier starts. */
async function firstAndLater(place: Place, name: string, services: ConfigFile = {}): Promise<Line[]> {
  const folder = place.folder(name);
  const first = await starts(STARTS, (at) => join(folder, `${at}`), services);
  const later = await starts(STARTS, () => join(folder, '0'), services);
  return [...usage('first', first), ...usage('later', later)];
}

function usage(name: string, daemons: readonly BenchDaemon[]): Line[] {
  const used = daemons.map(({ atReady }) => atReady);
  return [
    ms(`${name} start`, median(daemons.map(({ startMs }) => startMs))),
    { name: `${name} start, CPU`, value: median(used.map(({ cpuSec }) => cpuSec)), unit: 's', goal: CPU },
    {
      name: `${name} start, resident`,
      value: median(used.map(({ resident }) => resident / MB)),
      unit: 'MB',
      goal: RESIDENT,
    },
  ];
}

const ms = (name: string, value: number): Line => ({ name, value, unit: 'ms' });

async function start(folder: string, services: ConfigFile = {}, end: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') {
  const daemon = await startDaemon(folder, 1, services);
  await daemon.stop(end);
  return daemon;
}

async function starts(times: number, folder: (at: number) => string, services?: ConfigFile): Promise<BenchDaemon[]> {
  const daemons: BenchDaemon[] = [];
  for (let at = 0; at < times; at++) daemons.push(await start(folder(at), services));
  return daemons;
}

/** The folder that the memory figure left, or a new one like it. */
async function withParked(place: Place): Promise<string> {
  const folder = place.folder('parked');
  if (isParked(folder)) return folder;
  const daemon = await startDaemon(folder, IN_FLIGHT);
  await park(daemon, folder);
  await quiet(daemon);
  await daemon.stop();
  return folder;
}
