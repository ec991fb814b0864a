/**
 * What Node does on other threads, done on this one: its end would come in real time, and in another order each time. And random
 * numbers from the seed.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { SeededRandom } from './random.ts';

type Functions = Record<string, unknown>;

const require = createRequire(import.meta.url);
const zlib = require('node:zlib') as typeof import('node:zlib');
const crypto = require('node:crypto') as typeof import('node:crypto');

type Done = (error: null, result: Buffer) => void;

const compressed = {
  deflateRaw: (input: string | Buffer, options: object, done: Done) => done(null, zlib.deflateRawSync(input, options)),
  inflateRaw: (input: Buffer, done: Done) => done(null, zlib.inflateRawSync(input)),
};

async function digest(algorithm: string, data: Uint8Array): Promise<ArrayBuffer> {
  const hash = crypto.createHash(algorithm.toLowerCase().replace('-', '')).update(data).digest();
  return hash.buffer.slice(hash.byteOffset, hash.byteOffset + hash.length) as ArrayBuffer;
}

/** @returns ends it */
export function stayOnThisThread(random: SeededRandom): () => void {
  const replaced: [object, Functions][] = [
    [zlib, compressed],
    [crypto, { randomUUID: () => random.uuid(), randomBytes: (count: number) => random.bytes(count) }],
    [Math, { random: () => random.next() }],
    [Object.getPrototypeOf(globalThis.crypto.subtle), { digest }],
  ];
  const before = replaced.map(([place, functions]): [object, Functions] => [
    place,
    Object.fromEntries(Object.keys(functions).map((name) => [name, Reflect.get(place, name)])),
  ]);
  for (const [place, functions] of replaced) Object.assign(place, functions);
  syncBuiltinESMExports();
  return () => {
    for (const [place, functions] of before) Object.assign(place, functions);
    syncBuiltinESMExports();
  };
}
