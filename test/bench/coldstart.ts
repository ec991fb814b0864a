/** Starts, until the line `ready`: their time, the CPU time of all their processes, and their memory then. */
import { join } from 'node:path';
import type { ConfigFile } from '../../engine/platform/config/config.ts';
import { type BenchDaemon, startDaemon } from './daemon.ts';
import { type Figure, type Line, median, most, type Place } from './figure.ts';
import { withServices } from './services.ts';

const STARTS = 5;

export const coldstart: Figure = (place) => firstAndLater(place, 'coldstart');

export const servicesColdstart: Figure = (place) =>
  withServices(({ config }) => firstAndLater(place, 'services-coldstart', config));

const CPU = most(1);
const RESIDENT = most(130);
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

async function starts(times: number, folder: (at: number) => string, services: ConfigFile): Promise<BenchDaemon[]> {
  const daemons: BenchDaemon[] = [];
  for (let at = 0; at < times; at++) {
    const daemon = await startDaemon(folder(at), 1, services);
    await daemon.stop();
    daemons.push(daemon);
  }
  return daemons;
}
