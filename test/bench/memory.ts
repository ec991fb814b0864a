/**
 * The memory of a parked workflow: the resident memory of a daemon before and after 10,000 of them, as users would see
 * it (no forced garbage collection). Resident memory only shows how much the process once needed and has not returned,
 * so it is measured when idle, as the minimum of several samples.
 *
 * 1. The baseline is a daemon with an existing folder: creating the database takes memory that may or may not be
 *    returned, and would hide the memory of the workflows.
 */
import { startDaemon } from './daemon.ts';
import type { Figure } from './figure.ts';
import { IN_FLIGHT, PARKED, park, wakeAll } from './parked.ts';
import { eachParked, mib, resident, residentOnce, seconds } from './resident.ts';

export const memory: Figure = async (place) => {
  const folder = place.folder('parked');
  const atFirst = await residentOnce(folder);
  const daemon = await startDaemon(folder, IN_FLIGHT);
  const base = await resident(daemon);
  const parkSec = await seconds(() => park(daemon, folder));
  const parked = await resident(daemon);
  const heap = await daemon.metric('nodejs_heap_size_used_bytes');
  const wakeSec = await seconds(() => wakeAll(daemon, PARKED));
  const woken = await resident(daemon);
  await daemon.stop();
  return [
    mib('resident after the first start', atFirst),
    mib('resident after a later start', base),
    mib(`resident with ${PARKED} parked`, parked),
    mib('of that, JavaScript heap in use', heap),
    eachParked('a parked workflow', parked - base),
    { name: `parking ${PARKED}`, value: parkSec, unit: 's' },
    { name: 'one notification for all, until all continued', value: wakeSec, unit: 's' },
    mib('resident after that', woken),
    eachParked('a parked workflow, after a restart', (await residentOnce(folder)) - base),
  ];
};
