/**
 * The capture of one console by one process: keeps a session with the BMC, and stores the output of the machine in the log.
 *
 * 1. One process writes, which `by` of the console's document names: each batch has an id that only one writer can get
 *    (`console-log.ts`), and each change of the document compares `by`. A process that has lost either one ends its session.
 * 2. `hasSession` is saved before a session is opened, and cleared when it has ended: a later capture takes the port back
 *    only from a session that may be ours.
 * 3. `heardAt` is saved with the lines that were read until then. The next session begins with a note that says from when to
 *    when the console was not read.
 * 4. An input is removed from the document before it is typed: it is typed at most once, or never if it is old.
 *
 * If the process dies
 * - before a batch is written: its lines are lost, and the note of the next capture covers their time;
 * - between a batch and the change of `seq`: the next capture reads the number and the time of the newest line from the log;
 * - with an open session: ipmitool ends with its standard input, and the next capture takes the port back if it did not;
 * - between the removal of an input and its typing: it is not typed.
 */
import { setTimeout } from 'node:timers/promises';
import { Scrubber } from '../../durable/runtime/scrub.ts';
import type { ObmDrivers } from '../../hardware/obm/obm-drivers.ts';
import type { SerialSession } from '../../hardware/obm/serial-session.ts';
import { isoOf, now } from '../../platform/lib/clock.ts';
import type { Cipher } from '../../platform/secrets/secrets.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import type { Collection } from '../../platform/store/port.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import { type ConsoleLog, LINES_PER_BATCH } from './console-log.ts';
import { ConsoleText, cutLine } from './console-text.ts';
import { droppedText, LineQuota } from './line-quota.ts';
import type { StoredConsole, StoredLine } from './stored-console.ts';

export interface CaptureScope {
  stored: Collection<StoredConsole>;
  log: ConsoleLog;
  obms: Pick<ObmDrivers, 'serial'>;
  vault: Vault;
  /** Decrypts inputs. */
  cipher: Cipher;
  failed(error: unknown): void;
}

const FLUSH_INTERVAL_MS = 500;
/** A line that is not complete is kept after this time without output: a prompt has no line break. */
const PARTIAL_MS = 1_000;
const PENDING_LINES = 2_000;
const BACKOFF_MS = { first: 2_000, longest: 60_000 };
/** A session that lasted so long was no failure. */
const LASTING_MS = 60_000;
/** An older input is not typed: its user has seen that nothing happened. */
const INPUT_AGE_MS = 10_000;

const time = (): string => isoOf(now()) as string;

export class Capture {
  readonly #port: CaptureScope;
  readonly #node: string;
  readonly #source: StoredConsole['source'];
  readonly #by: string;
  readonly #closing = new AbortController();
  readonly #scrubber: Scrubber;
  readonly #quota = new LineQuota(performance.now());
  readonly #text = new ConsoleText();
  #pending: StoredLine[] = [];
  #seq: number;
  #state: StoredConsole['state'];
  #heardAt: string | null;
  #hasSession: boolean;
  #session: SerialSession | undefined;
  #isConnected = false;
  #dataAt = 0;
  #writes: Promise<void> = Promise.resolve();
  /** Resolves when it has ended, and its console is free for another process. */
  readonly end: Promise<void>;

  /** @param stored with this capture as `by` */
  constructor(port: CaptureScope, stored: StoredConsole, by: string) {
    this.#port = port;
    this.#node = stored.id;
    this.#source = stored.source;
    this.#by = by;
    this.#seq = stored.seq;
    this.#state = stored.state;
    this.#heardAt = stored.heardAt;
    this.#hasSession = stored.hasSession;
    this.#scrubber = new Scrubber(port.vault);
    this.end = this.#run();
  }

  close(): Promise<void> {
    this.#closing.abort();
    return this.end;
  }

  /** Saves that the console is still read, and types what waits. @returns whether the capture may continue */
  async renew(): Promise<boolean> {
    const at = time();
    await this.#flush();
    const isUpToDate = this.#isConnected && this.#pending.length === 0;
    if (isUpToDate) this.#heardAt = at;
    const stored = await this.#change(isUpToDate ? { heardAt: at } : { by: this.#by });
    if (stored === undefined || this.#closing.signal.aborted) return false;
    await this.#type(stored);
    return true;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    const timer = setInterval(() => void this.#tick(), FLUSH_INTERVAL_MS);
    let backoffMs = BACKOFF_MS.first;
    try {
      if (this.#state === 'connected') await this.#show('connecting', null);
      await this.#continue();
      while (!signal.aborted) {
        const began = performance.now();
        const error = await this.#hold().catch((thrown: unknown) => thrown);
        if (signal.aborted) break;
        await this.#show('connecting', error === undefined ? null : this.#scrubber.text(messageOf(error)));
        if (performance.now() > began + LASTING_MS) backoffMs = BACKOFF_MS.first;
        await setTimeout(backoffMs, undefined, { signal }).catch(() => {});
        backoffMs = Math.min(BACKOFF_MS.longest, backoffMs * 2);
      }
      await this.#flush();
      await this.#release();
    } catch (error) {
      this.#port.failed(error);
    } finally {
      clearInterval(timer);
    }
  }

  /** Continues after the newest line, which may be newer than the document says. */
  async #continue(): Promise<void> {
    const newest = await this.#port.log.range(this.#node);
    if (newest === undefined || newest.last <= this.#seq) return;
    this.#seq = newest.last;
    this.#heardAt = newest.at;
  }

  /** Holds one session until it ends. @returns why it ended */
  async #hold(): Promise<unknown> {
    const { signal } = this.#closing;
    const serial = await this.#port.obms.serial(this.#node, this.#source, this.#scrubber.note, signal);
    await serial.check(signal);
    if (this.#hasSession) await serial.free(signal);
    if ((await this.#change({ hasSession: true })) === undefined) return undefined;
    this.#hasSession = true;
    const session = serial.open(
      { connected: () => this.#noteConnection(), data: (bytes) => this.#take(bytes) },
      signal,
    );
    this.#session = session;
    const { error, isLeft } = await session.end;
    this.#session = undefined;
    this.#hasSession = isLeft;
    if (this.#isConnected) {
      this.#isConnected = false;
      for (const text of this.#text.flush()) this.#add(text, 'output');
      this.#heardAt = time();
      await this.#flush();
    }
    await this.#change({ hasSession: isLeft, heardAt: this.#heardAt });
    return error;
  }

  #noteConnection(): void {
    this.#isConnected = true;
    if (this.#heardAt !== null) this.#add(`the console was not read from ${this.#heardAt} to ${time()}`, 'note');
    void this.#show('connected', null).catch(this.#port.failed);
  }

  #take(bytes: Buffer): void {
    this.#dataAt = performance.now();
    for (const text of this.#text.take(bytes)) this.#add(text, 'output');
  }

  #add(text: string, kind: StoredLine['kind']): void {
    if (this.#pending.length >= PENDING_LINES) this.#quota.drop();
    else if (kind === 'note' || this.#quota.admits(performance.now())) {
      this.#noteDropped();
      this.#pending.push({ at: time(), text: cutLine(this.#scrubber.text(text)), kind });
    }
  }

  #noteDropped(): void {
    const dropped = this.#quota.takeDropped();
    if (dropped > 0) this.#pending.push({ at: time(), text: droppedText(dropped), kind: 'note' });
  }

  async #tick(): Promise<void> {
    if (this.#text.isPartial && performance.now() > this.#dataAt + PARTIAL_MS)
      for (const text of this.#text.flush()) this.#add(text, 'output');
    this.#noteDropped();
    // A batch whose outcome is unknown is tried again with the next tick.
    if (this.#pending.length > 0) await this.#flush().catch(this.#port.failed);
  }

  /** Writes the pending lines; one at a time, in order. */
  #flush(): Promise<void> {
    const writing = this.#writes.then(() => this.#write());
    this.#writes = writing.catch(() => {});
    return writing;
  }

  async #write(): Promise<void> {
    const { log } = this.#port;
    while (this.#pending.length > 0) {
      const at = time();
      const batch = this.#pending.slice(0, LINES_PER_BATCH);
      const last = await log.append(this.#node, this.#seq + 1, batch, this.#by);
      if (last === undefined) return this.#lose();
      this.#pending.splice(0, last - this.#seq);
      this.#seq = last;
      const isRead = this.#isConnected && this.#pending.length === 0;
      if (isRead) this.#heardAt = at;
      if ((await this.#change({ seq: last, ...(isRead && { heardAt: at }) })) === undefined) return this.#lose();
      await log.trim(this.#node, last);
    }
  }

  /** Another process captures, or the console is off. */
  #lose(): void {
    this.#pending = [];
    this.#closing.abort();
  }

  async #type(stored: StoredConsole): Promise<void> {
    if (stored.inputs.length === 0) return;
    const { id, by, inputCount } = stored;
    const removal = { $set: { inputs: [] }, $inc: { inputCount: 1 } };
    const emptied = await this.#port.stored.update({ id, by, inputCount }, removal);
    // One that came in the meantime is typed with the next call.
    if (emptied === undefined) return;
    for (const { at, text } of stored.inputs)
      if (Date.parse(at) > now() - INPUT_AGE_MS) this.#session?.write(String(this.#port.cipher.decrypt(text)));
  }

  #show(state: StoredConsole['state'], error: string | null) {
    const hasChanged = state !== this.#state;
    this.#state = state;
    return this.#change({ state, error, ...(hasChanged && { since: time() }) });
  }

  /** @returns undefined: another process captures, or the console is off, or is read otherwise */
  #change(values: Partial<StoredConsole>): Promise<StoredConsole | undefined> {
    const [by, source] = [this.#by, this.#source];
    return this.#port.stored.update({ id: this.#node, on: true, by, source }, { $set: values });
  }

  async #release(): Promise<void> {
    await this.#port.stored.update(
      { id: this.#node, by: this.#by },
      { $set: { by: null, hasSession: this.#hasSession, heardAt: this.#heardAt } },
    );
  }
}
