/** The processes of the service, by the heartbeats of the last minutes. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { LogEvent } from '../../client/follow-events.ts';
import { type DaemonProcess, processesIn } from '../pages/admin/heartbeats.ts';
import { clock } from '../parts/time.tsx';
import { client } from './daemon-client.ts';
import { onEvents } from './live.ts';
import { newestPosition, readEarlier } from './log-positions.ts';

const isHeartbeat = ({ type }: { type: string }): boolean => type === 'heartbeat';

/** Heartbeats that are kept: those of the last minutes. */
const CACHED_BEATS = 1_000;
const FIRST = 50;

const readEvents = async (after: number, limit: number): Promise<readonly LogEvent[]> =>
  (await client.get('/events', { query: { after, limit } })).body;

async function latestHeartbeats(): Promise<LogEvent[]> {
  const newest = await newestPosition(readEvents);
  return (await readEarlier(readEvents, newest + 1, isHeartbeat, FIRST)).items;
}

/** Empty until heartbeats are known; a user who may not read events never knows any. */
export function useProcesses(): readonly DaemonProcess[] {
  const beats = useSignal<readonly LogEvent[]>([]);
  useEffect(() => {
    const add = (more: readonly LogEvent[]) => {
      beats.value = [...beats.value, ...more].slice(-CACHED_BEATS);
    };
    latestHeartbeats().then(add, () => {}); // the next heartbeats come by the stream
    return onEvents((event) => {
      if (event !== undefined && isHeartbeat(event)) add([event]);
    });
  }, []);
  return processesIn(beats.value, clock.value);
}
