/**
 * Compresses, hashes and signs on this thread: the end of a call on another one would come in real time, and in another order each time.
 * Random numbers come from the seed.
 */
import { syncBuiltinESMExports } from 'node:module';
import type { SeededRandom } from '../../platform/lib/seeded-random.ts';

type Functions = Record<string, unknown>;

const zlib = process.getBuiltinModule('node:zlib');
const crypto = process.getBuiltinModule('node:crypto');

type Done = (error: null, result: Buffer) => void;

const compressed = {
  deflateRaw: (input: string | Buffer, options: object, done: Done) => done(null, zlib.deflateRawSync(input, options)),
  inflateRaw: (input: Buffer, done: Done) => done(null, zlib.inflateRawSync(input)),
};

async function digest(algorithm: string, data: Uint8Array): Promise<ArrayBuffer> {
  const hash = crypto.createHash(algorithm.toLowerCase().replace('-', '')).update(data).digest();
  return hash.buffer.slice(hash.byteOffset, hash.byteOffset + hash.length) as ArrayBuffer;
}

/** The daemon signs with Ed25519 only, which hashes by itself. */
async function sign(_: unknown, key: unknown, data: Uint8Array): Promise<ArrayBuffer> {
  const signature = crypto.sign(null, data, crypto.KeyObject.from(key as never));
  return signature.buffer.slice(signature.byteOffset, signature.byteOffset + signature.length) as ArrayBuffer;
}

/** @returns ends it */
export function stayOnThisThread(random: SeededRandom): () => void {
  const replaced: [object, Functions][] = [
    [zlib, compressed],
    [crypto, { randomUUID: () => random.uuid(), randomBytes: (count: number) => random.bytes(count) }],
    [Math, { random: () => random.next() }],
    [Object.getPrototypeOf(globalThis.crypto.subtle), { digest, sign }],
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
