/** The requests of the API for the serial consoles of machines. */
import type {
  ConsoleLine,
  ConsoleRecord,
  ConsoleTail,
  MachineConsoles,
  NewConsole,
} from '../../api-port/machine-consoles.ts';
import { ObmError } from '../../define/obm.ts';
import type { ObmDrivers } from '../../hardware/obm/obm-drivers.ts';
import type { Cluster } from '../../platform/cluster/cluster.ts';
import { ownerOf } from '../../platform/cluster/leases.ts';
import { isoOf, now } from '../../platform/lib/clock.ts';
import { AtOnce } from '../../platform/lib/per-minute.ts';
import type { Channel } from '../../platform/queue/port.ts';
import type { Cipher } from '../../platform/secrets/secrets.ts';
import { type Collection, DuplicateError } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { isOneOf } from '../../vocabulary/one-of.ts';
import { withTimeLimit } from '../../vocabulary/time-limit.ts';
import type { ConsoleChange } from './captures.ts';
import type { ConsoleLog } from './console-log.ts';
import { followLines } from './followed-lines.ts';
import type { StoredConsole } from './stored-console.ts';

export interface ConsoleScope {
  stored: Collection<StoredConsole>;
  log: ConsoleLog;
  channel: Channel<ConsoleChange>;
  obms: Pick<ObmDrivers, 'serial'>;
  cluster: Pick<Cluster, 'isHeard'>;
  /** Encrypts inputs. */
  cipher: Cipher;
  /** Takes the change back, and throws NOT_FOUND, if the node was removed in the meantime. */
  unlessRemoved(node: string, takeBack: () => Promise<void>): Promise<void>;
}

/** ms for the question which consoles a BMC offers; an answer of the API takes less than 10 s. */
const OFFER_MS = 5_000;
const READERS = 50;
const INPUTS = 20;

export class ConsoleRequests implements MachineConsoles {
  readonly #port: ConsoleScope;
  readonly #readers = new AtOnce(READERS);

  constructor(port: ConsoleScope) {
    this.#port = port;
  }

  async get(node: string): Promise<ConsoleRecord> {
    return this.#record(node, await this.#port.stored.get(node));
  }

  async switchOn(node: string, { source }: NewConsole): Promise<ConsoleRecord> {
    const { stored, channel } = this.#port;
    const present = await stored.get(node);
    if (present?.on !== true || present.source !== source) {
      await this.#checkOffer(node, source);
      const begun = { on: true, source, state: 'connecting', since: time(), error: null, inputs: [] } as const;
      const nothing = { seq: 0, by: null, heardAt: null, hasSession: false, inputCount: 0 };
      await stored.insert({ id: node, ...nothing, ...begun, inputs: [] }).catch(async (error: unknown) => {
        if (!(error instanceof DuplicateError)) throw error;
        await stored.update({ id: node }, { $set: begun });
      });
      await this.#port.unlessRemoved(node, async () => void (await stored.remove({ id: node })));
      await channel.publish({ node }).catch(() => {}); // the next pass of a process sees it
    }
    return this.get(node);
  }

  /** A BMC that does not answer is asked again by the capture. @throws NodewrightError */
  async #checkOffer(node: string, source: StoredConsole['source']): Promise<void> {
    const lateError = () => new ObmError('OBM_UNREACHABLE', 'the BMC did not answer in time');
    const ask = (signal: AbortSignal) => this.#port.obms.serial(node, source, () => {}, signal);
    try {
      await withTimeLimit(undefined, OFFER_MS, lateError, ask);
    } catch (error) {
      if (!(error instanceof ObmError)) throw error;
      if (error.code === 'OBM_MISSING') throw new NodewrightError('OBM_MISSING', error.message);
      if (isOneOf(['OBM_UNSUPPORTED', 'OBM_INVALID'], error.code))
        throw new NodewrightError('CONSOLE_UNSUPPORTED', error.message);
    }
  }

  async switchOff(node: string): Promise<void> {
    const off = { on: false, state: 'off', since: time(), error: null, inputs: [] };
    const changed = await this.#port.stored.update({ id: node, on: true }, { $set: off });
    if (changed !== undefined) await this.#port.channel.publish({ node }).catch(() => {});
  }

  log(node: string, after: number, limit: number): Promise<ConsoleLine[]> {
    return this.#port.log.read(node, after, limit);
  }

  async follow(node: string, after: number | undefined, signal: AbortSignal): Promise<AsyncIterable<ConsoleLine[]>> {
    const leave = this.#readers.take();
    if (leave === undefined)
      throw new NodewrightError('TOO_MANY_REQUESTS', `${READERS} readers follow consoles on this daemon; close one`);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    const { log } = this.#port;
    return followLines(log, node, after ?? (await log.range(node))?.last ?? 0, signal);
  }

  async type(node: string, text: string): Promise<void> {
    const { stored, channel, cipher } = this.#port;
    const present = await stored.get(node);
    const { state, error } = await this.#record(node, present);
    if (state !== 'connected') {
      const why = error === null ? '' : ` (${error})`;
      const message = `the console of the node ${node} is ${state}${why}, expected connected; nothing was typed`;
      throw new NodewrightError('CONSOLE_UNCONNECTED', message);
    }
    if ((present?.inputs.length ?? 0) >= INPUTS)
      throw new NodewrightError('TOO_MANY_REQUESTS', `${INPUTS} inputs of the node ${node} wait; try again shortly`);
    const $push = { inputs: { at: time(), text: cipher.encrypt(text) } };
    await stored.update({ id: node, on: true }, { $push, $inc: { inputCount: 1 } });
    await channel.publish({ node }).catch(() => {});
  }

  /** Returns the newest lines of a console that is on. @param count of lines */
  async tail(node: string, count: number): Promise<ConsoleTail | undefined> {
    const present = await this.#port.stored.get(node);
    if (present?.on !== true) return undefined;
    const capture = await this.#record(node, present);
    return { capture, lines: await this.log(node, Math.max(0, capture.seq - count), count) };
  }

  async #record(node: string, present: StoredConsole | undefined): Promise<ConsoleRecord> {
    const range = await this.#port.log.range(node);
    const counts = {
      lines: range === undefined ? 0 : range.last - range.first + 1,
      seq: range?.last ?? present?.seq ?? 0,
    };
    if (present === undefined) return { source: null, state: 'off', since: null, error: null, ...counts };
    const { on, source, since, error, by } = present;
    if (!on) return { source: null, state: 'off', since, error: null, ...counts };
    const isCaptured = by !== null && (await this.#port.cluster.isHeard(ownerOf(by)));
    return { source, state: isCaptured ? present.state : 'connecting', since, error, ...counts };
  }
}

const time = (): string => isoOf(now()) as string;
