/** The file that a job fetches (`jobs/scripts/fetch.sh`): its server is asked for its size only. */
import { messageOf } from '../../../vocabulary/thrown-values.ts';
import { MIB } from '../../../vocabulary/units.ts';
import type { Machine, SouthAnswer } from '../machine/twin-machine.ts';
import { type CommandRun, pauseFor } from './command-run.ts';
import { kernelWord } from './kernel-words.ts';

const FETCH_LEAST_MS = 500;
/** The script's pause between two tries, and their number. */
const FETCH_PAUSE_MS = 5_000;
const TRIES = 60;
/** The size of a file whose server does not say it. */
const USUAL_BYTES = 2_048 * MIB;

export interface FetchedFile {
  /** As it is sent. */
  bytes: number;
  /** The exit code of curl, which does not get it. */
  curl?: number;
}

/** @param url or a path below the file server of the daemon */
export async function fetchedFile(run: CommandRun, url: string): Promise<FetchedFile> {
  const { machine, image, signal } = run;
  const [api, key] = ['api', 'key'].map((name) => kernelWord(image.cmdline, `nodewright.${name}`)) as [string, string];
  // The key of the node is for its daemon only.
  const isOwn = !url.includes('://');
  const target = isOwn ? `${api.replace(/\/api\/current$/, '')}/${url}` : url;
  const headers = isOwn && key !== '' ? { 'x-nodewright-key': key } : {};
  const ask = (method: 'HEAD' | 'GET', more: Record<string, string> = {}) =>
    askOnce(machine, { method, url: target, headers: { ...headers, ...more } }, signal);
  for (let tries = 0; tries < TRIES && !run.isCancelled(); tries += 1) {
    const head = await ask('HEAD');
    if (head !== undefined && head.status < 300) return { bytes: head.length ?? USUAL_BYTES };
    if (head !== undefined && (head.status < 500 || head.status === 501)) {
      const part = await ask('GET', { range: 'bytes=0-0' });
      return part !== undefined && part.status < 300 ? { bytes: USUAL_BYTES } : { bytes: 0, curl: 22 };
    }
    await pauseFor(machine, FETCH_PAUSE_MS, FETCH_LEAST_MS, signal);
  }
  return { bytes: 0, curl: 28 };
}

async function askOnce(
  machine: Machine,
  asking: Parameters<Machine['around']['ask']>[1],
  signal: AbortSignal,
): Promise<SouthAnswer | undefined> {
  try {
    return await machine.around.ask(machine, asking, signal);
  } catch (error) {
    signal.throwIfAborted();
    machine.around.tell(machine, `the file cannot be fetched: ${messageOf(error)}`);
    return undefined;
  }
}
