/** The positions at which a drive is read before and after its erase: first block, last block, others by a seed. */
import { createHash } from 'node:crypto';

export const BLOCK = 4_096;
export const SAMPLES = 64;

/**
 * @param size of the drive in bytes
 * @returns numbers of blocks of `BLOCK` bytes, ascending; deterministic for seed and size
 */
export function samplesOf(seed: string, size: number): number[] {
  const blocks = Math.ceil(size / BLOCK);
  if (blocks <= SAMPLES) return Array.from({ length: blocks }, (_, at) => at);
  const chosen = new Set([0, blocks - 1]);
  for (let n = 0; chosen.size < SAMPLES; n += 1) {
    const digest = createHash('sha256').update(`${seed} ${n}`).digest();
    chosen.add(Number(digest.readBigUInt64BE(0) % BigInt(blocks)));
  }
  return [...chosen].sort((a, b) => a - b);
}
