/** A simulated run: its beginning and its moves. The address of the page has them, compressed, so that a run can be linked to. */
import type { PlayMove } from '../../../../engine/api-port/index.ts';

export interface PlayableRun {
  /** '': none is chosen. */
  graph: string;
  /** A node of which a recording is made; null: no node; absent: a node without a recording. */
  node?: string | null;
  options?: Record<string, Record<string, unknown>>;
  moves: readonly PlayMove[];
}

/** As the daemon limits them. */
export const MOST_MOVES = 500;

/** Characters of an address that browsers, chats and trackers keep. */
const ADDRESS_LENGTH = 30_000;
/** Bytes of a run that an address may grow to. */
const LARGEST = 2_000_000;

/** @returns undefined: it is too long for an address */
export async function addressOfRun(run: PlayableRun): Promise<string | undefined> {
  const bytes = await pipe(new TextEncoder().encode(JSON.stringify(run)), new CompressionStream('deflate-raw'));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
  return text.length > ADDRESS_LENGTH ? undefined : text;
}

/** @throws Error for a text that is no run */
export async function runOfAddress(address: string): Promise<PlayableRun> {
  try {
    const binary = atob(address.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const text = new TextDecoder().decode(await pipe(bytes, new DecompressionStream('deflate-raw')));
    return runOf(JSON.parse(text));
  } catch (error) {
    throw new Error(`the address has no run that can be read: ${String(error)}`);
  }
}

/** The daemon checks the moves. */
function runOf(value: unknown): PlayableRun {
  const { graph, node, options, moves } = (value ?? {}) as Record<string, unknown>;
  if (typeof graph !== 'string' || !Array.isArray(moves)) throw new Error('it has no graph or no moves');
  return {
    graph,
    moves: moves.slice(0, MOST_MOVES) as PlayMove[],
    ...((typeof node === 'string' || node === null) && { node }),
    ...(typeof options === 'object' && options !== null && { options: options as never }),
  };
}

async function pipe(bytes: Uint8Array<ArrayBuffer>, through: CompressionStream | DecompressionStream) {
  const reader = new Blob([bytes]).stream().pipeThrough(through).getReader();
  const parts: Uint8Array[] = [];
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > LARGEST) {
      await reader.cancel();
      throw new Error('it is too large');
    }
    parts.push(value);
  }
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
