/** The readers of the log, as a process: each is a socket; events are counted, and some of the first reader are parsed. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ReaderTask {
  port: number;
  count: number;
  /** Reader n follows the n-th; empty: all events. */
  workflows: readonly string[];
}

export interface ReaderReport {
  /** Readers that got as many events as they should. */
  complete: number;
  events: number;
  bytes: number;
  /** ms from the publication of events to the first reader. */
  delays: number[];
  /** ms until the last reader was done. */
  lateMs: number;
}

const MARK = Buffer.from('\nid: ');
/** Timeout for events after the last publication. */
const PATIENCE_MS = 60_000;
const CREATED = /"createdAt":"([^"]+)"/;

class Reader {
  events = 0;
  bytes = 0;
  isOpen = false;
  readonly delays: number[] = [];
  /** The end of the last chunk, which may be a part of the mark. */
  #left = Buffer.alloc(0);

  constructor(port: number, path: string, isTimed: boolean) {
    const socket: Socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`),
    );
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      this.isOpen = true;
      this.bytes += chunk.length;
      this.#count(chunk);
      if (isTimed) this.#time(chunk);
    });
  }

  #count(chunk: Buffer): void {
    const seam = Buffer.concat([this.#left, chunk.subarray(0, MARK.length - 1)]);
    this.events += marksIn(seam) + marksIn(chunk);
    this.#left = Buffer.from(chunk.length >= MARK.length ? chunk.subarray(chunk.length - MARK.length + 1) : seam);
    if (chunk.length < MARK.length) this.#left = this.#left.subarray(-(MARK.length - 1));
  }

  /** The oldest event of a chunk has waited longest. */
  #time(chunk: Buffer): void {
    const [, created] = CREATED.exec(chunk.subarray(0, 2_000).toString()) ?? [];
    if (created !== undefined) this.delays.push(Date.now() - Date.parse(created));
  }
}

function marksIn(buffer: Buffer): number {
  let count = 0;
  for (let at = buffer.indexOf(MARK); at >= 0; at = buffer.indexOf(MARK, at + MARK.length)) count += 1;
  return count;
}

let readers: Reader[] = [];

process.on('message', (message: ReaderTask | { events: number }) => {
  void ('port' in message ? start(message) : finish(message.events));
});

async function start({ port, count, workflows }: ReaderTask): Promise<void> {
  const pathOf = (workflow: string | undefined) =>
    `/api/current/events/stream${workflow === undefined ? '' : `?typeId=${workflow}`}`;
  readers = Array.from({ length: count }, (_, at) => new Reader(port, pathOf(workflows[at]), at === 0));
  while (!readers.every(({ isOpen }) => isOpen)) await sleep(10);
  process.send?.('ready');
}

async function finish(events: number): Promise<void> {
  const start = performance.now();
  while (performance.now() < start + PATIENCE_MS && readers.some((reader) => reader.events < events)) await sleep(10);
  const report: ReaderReport = {
    complete: readers.filter((reader) => reader.events === events).length,
    events: readers.reduce((sum, reader) => sum + reader.events, 0),
    bytes: readers.reduce((sum, { bytes }) => sum + bytes, 0),
    delays: readers[0]?.delays ?? [],
    lateMs: performance.now() - start,
  };
  process.send?.(report);
}
