/** The external ledger: actual side effects of activities, counted in the files that they wrote. */
import { type FileHandle, open } from 'node:fs/promises';

const CHUNK = 1 << 20;

export class Ledger {
  readonly #path: string;
  readonly #counts = new Map<string, number>();
  #read = 0;
  #rest = '';
  #reading: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns how often the line was written, as of the last `refresh`. */
  count(line: string): number {
    return this.#counts.get(line) ?? 0;
  }

  /** Returns lines that were written more than once. */
  get doubled(): string[] {
    return [...this.#counts].filter(([, count]) => count > 1).map(([line]) => line);
  }

  get lines(): number {
    let sum = 0;
    for (const count of this.#counts.values()) sum += count;
    return sum;
  }

  /** Reads new lines. */
  refresh(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#append());
    return this.#reading;
  }

  async #append(): Promise<void> {
    const file = await open(this.#path).catch(() => undefined);
    if (file === undefined) return;
    try {
      while (await this.#chunk(file));
    } finally {
      await file.close();
    }
  }

  async #chunk(file: FileHandle): Promise<boolean> {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK), 0, CHUNK, this.#read);
    this.#read += bytesRead;
    const lines = (this.#rest + buffer.toString('utf8', 0, bytesRead)).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#counts.set(line, this.count(line) + 1);
    return bytesRead === CHUNK;
  }
}
