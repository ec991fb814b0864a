/** The console of a machine, as it is written: read every second while the tab is in use, because a stream would take a connection. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { FollowedLine } from '../../client/follow-events.ts';
import type { GetAnswer } from '../../client/requests.ts';
import { client } from './daemon-client.ts';
import { isInUse } from './tab-in-use.ts';

export type ConsoleCapture = GetAnswer<'/nodes/:identifier/console'>;

export interface CapturedConsole {
  capture: Signal<ConsoleCapture | undefined>;
  lines: Signal<readonly FollowedLine[]>;
  problem: Signal<unknown>;
  reload(): Promise<void>;
}

const READ_INTERVAL_MS = 1_000;
/** Lines that are shown at most, and read at a time. */
const NEWEST_LINES = 1_000;

export function useConsole(identifier: string): CapturedConsole {
  const capture = useSignal<ConsoleCapture | undefined>(undefined);
  const lines = useSignal<readonly FollowedLine[]>([]);
  const problem = useSignal<unknown>(undefined);
  const read = async () => {
    const params = { identifier };
    const { body } = await client.get('/nodes/:identifier/console', { params });
    capture.value = body;
    const after = Math.max(lines.value.at(-1)?.seq ?? 0, body.seq - NEWEST_LINES);
    if (body.seq <= after) return;
    const more = await client.get('/nodes/:identifier/console/log', { params, query: { after, limit: NEWEST_LINES } });
    lines.value = [...lines.value, ...more.body.filter(({ seq }) => seq > (lines.value.at(-1)?.seq ?? 0))].slice(
      -NEWEST_LINES,
    );
  };
  const reload = () =>
    read().then(
      () => {
        problem.value = undefined;
      },
      (error: unknown) => {
        problem.value = error;
      },
    );
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const repeat = async () => {
      if (isInUse.value) await reload();
      if (!isOver) timer = setTimeout(() => void repeat(), READ_INTERVAL_MS);
    };
    void repeat();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [identifier]);
  return { capture, lines, problem, reload };
}
