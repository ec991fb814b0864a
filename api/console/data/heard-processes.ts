/** The processes of the service, by the heartbeats of the last minutes. */
import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { LogEvent } from '../../client/follow-events.ts';
import { type DaemonProcess, processesIn } from '../pages/admin/heartbeats.ts';
import { clock } from '../parts/time.tsx';
import { client } from './daemon-client.ts';
import { type LiveValue, onEvents, useLive } from './live.ts';

const isHeartbeat = ({ type }: { type: string }): boolean => type === 'heartbeat';

/** ms */
const LAST_MINUTES = 5 * 60_000;
/** Heartbeats that are kept: those of the last minutes. */
const CACHED_BEATS = 1_000;
/** A page of the log may have few of them. */
const LOG_PAGES = 10;

async function latestHeartbeats(): Promise<LogEvent[]> {
  const beats: LogEvent[] = [];
  const since = new Date(Date.now() - LAST_MINUTES).toISOString();
  for (let [page, begin] = [0, { since } as { since: string } | { after: number }]; page < LOG_PAGES; page += 1) {
    const { body, next } = await client.get('/events', { query: { type: 'heartbeat', limit: CACHED_BEATS, ...begin } });
    beats.push(...body);
    if (next === undefined) break;
    begin = { after: Number(next.after) };
  }
  return beats;
}

/** A user who may not read events never knows any. */
export function useProcesses(): Pick<LiveValue<readonly DaemonProcess[]>, 'value' | 'problem'> {
  const live = useLive('heartbeats', latestHeartbeats, undefined, LAST_MINUTES);
  const newBeats = useSignal<readonly LogEvent[]>([]);
  useEffect(
    () =>
      onEvents((event) => {
        if (event !== undefined && isHeartbeat(event)) newBeats.value = [...newBeats.value, event].slice(-CACHED_BEATS);
      }),
    [],
  );
  const value = useComputed(
    () => live.value.value && processesIn([...live.value.value, ...newBeats.value], clock.value),
  );
  return { value, problem: live.problem };
}
