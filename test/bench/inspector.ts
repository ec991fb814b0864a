/** The CPU profile of another process, by its inspector. */
import { once } from 'node:events';
import { WebSocket } from 'undici';

export interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[];
  /** Ids of nodes. */
  samples: number[];
  /** µs before each sample. */
  timeDeltas: number[];
}

const INTERVAL_US = 200;

/** @param url of the inspector, as the process prints it */
export async function profiled(url: string, run: () => Promise<unknown>): Promise<Profile> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  let count = 0;
  const ask = (method: string, params = {}) =>
    new Promise<unknown>((resolve) => {
      const id = ++count;
      const take = ({ data }: { data: string }) => {
        const answer = JSON.parse(data) as { id?: number; result?: unknown };
        if (answer.id !== id) return;
        socket.removeEventListener('message', take);
        resolve(answer.result);
      };
      socket.addEventListener('message', take);
      socket.send(JSON.stringify({ id, method, params }));
    });
  await ask('Profiler.enable');
  await ask('Profiler.setSamplingInterval', { interval: INTERVAL_US });
  await ask('Profiler.start');
  await run();
  const { profile } = (await ask('Profiler.stop')) as { profile: Profile };
  socket.close();
  return profile;
}
