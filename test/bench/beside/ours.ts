/** Daemons as `npm start` runs them: launches over HTTP with a token; ends as events on AMQP, or in the stream. */
import { request } from 'undici';
import type { Publication } from '../../../engine/vocabulary/event.ts';
import type { Hearing } from '../broker.ts';
import type { BenchDaemon } from '../daemon.ts';
import { chainOf } from '../ours.ts';
import { type Clocks, IN_FLIGHT, round, STEPS } from '../rounds.ts';
import type { Watch } from '../watch.ts';
import { type Contender, timed } from './contender.ts';

/** @returns ids of new nodes, one for each lane */
export const createNodes = (daemon: BenchDaemon): Promise<string[]> =>
  Promise.all(
    Array.from({ length: IN_FLIGHT }, async (_, at) => {
      return (await daemon.post('/nodes', { type: 'compute', name: `n${at}` })).id as string;
    }),
  );

/** Workflows of the nodes, which are dealt to the daemons in turn. @param clocks of their services */
export function ourContender(
  daemons: Readonly<Record<string, BenchDaemon>>,
  nodes: readonly string[],
  watch: Watch,
  clocks: Clocks,
): Contender {
  const all = Object.values(daemons);
  const run = async (lane: number) => {
    const daemon = all[lane % all.length] as BenchDaemon;
    const { id } = await daemon.post(`/nodes/${nodes[lane]}/workflows`, { name: chainOf(STEPS) });
    return watch.succeeded(id as string);
  };
  const own = Object.entries(daemons).map(([name, daemon]) => [name, () => daemon.cpuSec]);
  return {
    round: (runs) => round({ run, clocks: { ...Object.fromEntries(own), ...clocks }, runs, engines: all.length }),
    idle: () => timed(() => run(0)),
  };
}

/** @returns ms from the second notification of a workflow that waits until its end is seen */
export async function notificationToEnd(daemon: BenchDaemon, node: string, watch: Watch): Promise<number> {
  const { id } = await daemon.post(`/nodes/${node}/workflows`, { name: 'Graph.Demo.InstallOs' });
  const notify = () => daemon.post(`/notification?nodeId=${node}`, { done: true }, 'south');
  await watch.waiting(id as string, 'wait-os-installed');
  await notify();
  await watch.waiting(id as string, 'wait-os-booted');
  return timed(async () => {
    await notify();
    return watch.succeeded(id as string);
  });
}

/** The stream of a daemon, as a source of its events. @param query the events, such as `type=graph` */
export async function follow(daemon: BenchDaemon, query: string): Promise<Hearing> {
  const stop = new AbortController();
  const { authorization = '' } = daemon.headers;
  const url = `${daemon.origin}/api/current/events/stream?${query}`;
  const { body, statusCode } = await request(url, { headers: { authorization }, bodyTimeout: 0, signal: stop.signal });
  if (statusCode !== 200) throw new Error(`the stream returned ${statusCode}: ${await body.text()}`);
  const listeners = new Set<(publication: Publication) => void>();
  let rest = '';
  body.setEncoding('utf8').on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data === undefined) continue;
      for (const listener of listeners) listener({ id: '', key: '', body: JSON.parse(data) });
    }
  });
  body.on('error', () => {});
  return {
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => stop.abort(),
  };
}
