/** The console of a machine, as it is written: read every second while the tab is in use, because a stream would take a connection. */
import { useMemo } from 'preact/hooks';
import type { FollowedLine } from '../../client/follow-events.ts';
import type { GetAnswer } from '../../client/requests.ts';
import { client } from './daemon-client.ts';
import { type LiveValue, useLive } from './live.ts';

export type ConsoleCapture = GetAnswer<'/nodes/:identifier/console'>;

export interface CapturedConsole {
  capture: ConsoleCapture;
  /** The newest, oldest first. */
  lines: readonly FollowedLine[];
}

const READ_INTERVAL_MS = 1_000;
/** Lines that are shown at most, and read at a time. */
const NEWEST_LINES = 1_000;

export function useConsole(identifier: string): LiveValue<CapturedConsole> {
  const read = useMemo(() => readingOf(identifier), [identifier]);
  return useLive(`console ${identifier}`, read, undefined, READ_INTERVAL_MS);
}

/** Returns a function that adds the lines since its last call. */
function readingOf(identifier: string): () => Promise<CapturedConsole> {
  const params = { identifier };
  let lines: readonly FollowedLine[] = [];
  return async () => {
    const { body: capture } = await client.get('/nodes/:identifier/console', { params });
    const after = Math.max(lines.at(-1)?.seq ?? 0, capture.seq - NEWEST_LINES);
    if (capture.seq > after) {
      const query = { after, limit: NEWEST_LINES };
      const { body: more } = await client.get('/nodes/:identifier/console/log', { params, query });
      lines = [...lines, ...more].slice(-NEWEST_LINES);
    }
    return { capture, lines };
  };
}
