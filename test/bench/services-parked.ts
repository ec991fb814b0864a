/**
 * Parked workflows on services: the time to create them, the start and the memory of a daemon that has them, and the
 * time until one broadcast notification has reached each of them.
 */
import { type BenchDaemon, startDaemon } from './daemon.ts';
import type { Figure } from './figure.ts';
import { IN_FLIGHT, PARKED, park, wakeAll } from './parked.ts';
import { eachParked, mib, resident, residentOnce, seconds } from './resident.ts';
import { withServices } from './services.ts';

export const servicesParked: Figure = (place) =>
  withServices(async ({ config }) => {
    const folder = place.folder('services-parked');
    const start = () => startDaemon(folder, IN_FLIGHT, config);
    const base = await residentOnce(folder, config);
    const maker = await start();
    const parkSec = await seconds(() => park(maker, folder));
    await maker.stop();
    const daemon = await start();
    const parked = await resident(daemon);
    const wakeSec = await seconds(() => wakeAll(daemon, 0));
    await daemon.stop();
    const later = await start();
    await later.stop();
    return [
      { name: `parking ${PARKED}`, value: parkSec, unit: 's' },
      ms('a start with them', daemon),
      ms('a start after they continued', later),
      mib('resident before', base),
      mib('resident with them', parked),
      eachParked('a parked workflow', parked - base),
      { name: 'one notification for all, until all continued', value: wakeSec, unit: 's' },
    ];
  });

const ms = (name: string, { startMs }: BenchDaemon) => ({ name, value: startMs, unit: 'ms' });
