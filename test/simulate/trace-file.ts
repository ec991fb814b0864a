/** Writes a trace to a file, synchronously: the end of another write would come in real time. */
import { closeSync, openSync, writeSync } from 'node:fs';

const BUFFERED = 1_000_000;

export class TraceFile {
  readonly #file: number;
  #text = '';

  constructor(path: string) {
    this.#file = openSync(path, 'w');
  }

  write(line: string): void {
    this.#text += line;
    if (this.#text.length > BUFFERED) this.#flush();
  }

  #flush(): void {
    writeSync(this.#file, this.#text);
    this.#text = '';
  }

  close(): void {
    this.#flush();
    closeSync(this.#file);
  }
}
