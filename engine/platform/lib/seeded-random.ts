/** Random numbers from a seed: the same seed gives the same numbers on every machine. */
import { createHash } from 'node:crypto';

export class SeededRandom {
  #a = 0;
  #b = 0;
  #c = 0;
  #count = 1;

  constructor(seed: string) {
    this.restart(seed);
  }

  /** Continues as a new one from this seed. */
  restart(seed: string): void {
    this.#count = 1;
    const digest = createHash('sha256').update(seed).digest();
    [this.#a, this.#b, this.#c] = [digest.readInt32LE(0), digest.readInt32LE(4), digest.readInt32LE(8)];
  }

  /** From 0 up to 1; sfc32, of PractRand. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#count) | 0;
    this.#count = (this.#count + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from 0 to below the limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  pick<T>(all: readonly T[]): T {
    return all[this.below(all.length)] as T;
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.below(256)));
  }

  uuid(): `${string}-${string}-${string}-${string}-${string}` {
    const bytes = this.bytes(16);
    bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
    const hex = bytes.toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }
}
