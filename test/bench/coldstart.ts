/** Time from spawn to the line `ready`: on an empty folder, on its own folder, and with 10,000 parked workflows. */
import { startDaemon } from './daemon.ts';
import { type Figure, type Line, median, type Place } from './figure.ts';
import { IN_FLIGHT, isParked, PARKED, park, quiet } from './parked.ts';

const STARTS = 5;
/** Fewer, so that the whole bench ends in time. */
const FULL_STARTS = 3;

export const coldstart: Figure = async (place) => {
  const folder = place.folder('coldstart');
  const first = await start(folder);
  const later = await starts(folder, STARTS);
  const parked = await withParked(place);
  const full = await starts(parked, FULL_STARTS);
  await start(parked, 'SIGKILL');
  const afterKill = await start(parked);
  return [
    ms('first, on an empty folder', first),
    ms('later', median(later)),
    ms(`with ${PARKED} parked workflows`, median(full)),
    ms('the same after a kill -9', afterKill),
  ];
};

const ms = (name: string, value: number): Line => ({ name, value, unit: 'ms' });

async function start(folder: string, end: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number> {
  const daemon = await startDaemon(folder);
  await daemon.stop(end);
  return daemon.startMs;
}

async function starts(folder: string, times: number): Promise<number[]> {
  const millis: number[] = [];
  for (let at = 0; at < times; at++) millis.push(await start(folder));
  return millis;
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
