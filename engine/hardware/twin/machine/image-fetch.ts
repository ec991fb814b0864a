/** The images that a BMC fetches from URLs that it is given, of firmware and of virtual media. */
import { fieldOf } from '../../../vocabulary/thrown-values.ts';
import { MIB, MINUTE_MS } from '../../../vocabulary/units.ts';
import type { ImageProblem } from './machine-state.ts';
import type { Machine, SouthAnswer, SouthRequest } from './twin-machine.ts';

/** Bytes of an image of firmware. */
export const IMAGE_LIMIT = 1_024 * MIB;
/** In time of the host. A server that sends nothing for the shorter time is gone: a client of the BMC waits longer. */
const [DOWNLOAD_MS, LOOK_MS] = [10 * MINUTE_MS, 8_000];

type Asking = Pick<SouthRequest, 'method' | 'headers'>;

/** @returns why it does not get the whole image @throws the reason of the signal if the twin ends */
export const downloadImage = (machine: Machine, url: string): Promise<ImageProblem | undefined> =>
  problemOf(machine, url, DOWNLOAD_MS, async (ask) => {
    const answer = await ask({ method: 'GET' });
    const isEmpty = answer.text === '' && !(Number(answer.length) > 0);
    return { ...answer, isForeign: isEmpty || /^\s*<(!doctype|html)/i.test(answer.text) };
  });

/** @returns why the image cannot be read @throws the reason of the signal if the twin ends */
export const lookAtImage = (machine: Machine, url: string): Promise<ImageProblem | undefined> =>
  problemOf(machine, url, LOOK_MS, async (ask) => {
    const answer = await lookAtFile(ask);
    return { ...answer, isForeign: answer.length === 0 };
  });

/** Asks for the size of a file. A server that rejects HEAD may answer a GET nevertheless. */
export async function lookAtFile(ask: (asking: Asking) => Promise<SouthAnswer>): Promise<SouthAnswer> {
  const head = await ask({ method: 'HEAD' });
  if (head.status < 300 || (head.status >= 500 && head.status !== 501)) return head;
  const { status, text } = await ask({ method: 'GET', headers: { range: 'bytes=0-0' } });
  return { status, text };
}

type Look = (ask: (asking: Asking) => Promise<SouthAnswer>) => Promise<SouthAnswer & { isForeign: boolean }>;

async function problemOf(
  machine: Machine,
  url: string,
  limitMs: number,
  look: Look,
): Promise<ImageProblem | undefined> {
  const words = [shownUrl(url)];
  const signal = AbortSignal.any([machine.bmcSignal, AbortSignal.timeout(limitMs)]);
  const request = { url, isOfBmc: true, fileLimit: IMAGE_LIMIT, timeoutMs: LOOK_MS } as const;
  try {
    const { status, isForeign } = await look((asking) =>
      machine.around.ask(machine, { ...request, ...asking }, signal),
    );
    if (status === 404 || status === 410) return { id: 'ResourceMissingAtURI', words };
    if (status === 401 || status === 403)
      return { id: 'ResourceAtUriUnauthorized', words: [...words, `HTTP ${status}`] };
    if (status >= 300) return { words };
    return isForeign ? { id: 'ResourceAtUriInUnknownFormat', words } : undefined;
  } catch (error) {
    if (machine.isStopped) throw error;
    const isUnreachable = ['connect', 'getaddrinfo'].includes(String(fieldOf(error, 'syscall')));
    return isUnreachable ? { id: 'CouldNotEstablishConnection', words } : { words };
  }
}

/** A login and a query, which may be a signature, are secrets. */
export function shownUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`.slice(0, 200);
}
