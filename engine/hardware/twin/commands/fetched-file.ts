/** The file that a job fetches (`jobs/scripts/fetch.sh`): its server is asked for its size only. */
import { messageOf } from '../../../vocabulary/thrown-values.ts';
import { MIB } from '../../../vocabulary/units.ts';
import { lookAtFile } from '../machine/image-fetch.ts';
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
  for (let tries = 0; tries < TRIES && !run.isCancelled(); tries += 1) {
    const { status, length = USUAL_BYTES } = await lookOnce(machine, target, headers, signal);
    const isCut = status < 300 && machine.around.faults.takes(machine.name, 'download breaks');
    if (status < 300 && !isCut) return { bytes: length };
    if (status >= 300 && (status < 500 || status === 501)) return { bytes: 0, curl: 22 };
    await pauseFor(machine, FETCH_PAUSE_MS, FETCH_LEAST_MS, signal);
  }
  return { bytes: 0, curl: 28 };
}

/** A server that does not answer is one that fails. */
async function lookOnce(
  machine: Machine,
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<SouthAnswer> {
  try {
    return await lookAtFile((asking) =>
      machine.around.ask(machine, { url, ...asking, headers: { ...headers, ...asking.headers } }, signal),
    );
  } catch (error) {
    signal.throwIfAborted();
    machine.around.tell(machine, `the file cannot be fetched: ${messageOf(error)}`);
    return { status: 503, text: '' };
  }
}
