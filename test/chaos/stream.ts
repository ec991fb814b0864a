/** Listens on the stream of a daemon that dies again and again: it connects again, and continues after the last event. */
import type { Scope } from '../support/ava/scope.ts';
import type { DaemonProcess } from '../support/servers/daemon.ts';
import type { Heard } from '../support/servers/hearing.ts';
import { readEvents } from '../support/servers/sse.ts';
import { pause } from './member.ts';

const AGAIN_MS = 100;

export function listenToStream(
  scope: Scope,
  daemon: DaemonProcess,
  hear: (heard: Pick<Heard, 'id' | 'body'>) => void,
): void {
  const closing = new AbortController();
  const listening = follow(scope, daemon, hear, closing.signal);
  scope.teardown(async () => {
    closing.abort();
    await listening;
  });
}

async function follow(
  scope: Scope,
  daemon: DaemonProcess,
  hear: (heard: Pick<Heard, 'id' | 'body'>) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let last = 0; !signal.aborted; await pause(AGAIN_MS, signal)) {
    // Its ports are others after each start.
    const { url, headers } = daemon.authorized('/events/stream');
    const reader = await readEvents(scope, url, { ...headers, 'last-event-id': String(last) }).catch(() => undefined);
    if (reader === undefined) continue;
    const close = () => reader.close();
    signal.addEventListener('abort', close);
    reader.events.each(({ seq, data }) => {
      last = seq;
      hear({ id: String(data.id), body: data });
    });
    await reader.ended;
    signal.removeEventListener('abort', close);
  }
}
