/**
 * Interlocks: why a node's power must not be touched at the moment. Engaged before what would suffer begins, released when
 * it is over; asked by whatever is about to switch a node, in any workflow and any process.
 *
 * 1. One that nobody released holds until its own `until`: what goes on in a drive goes on without us.
 * 2. Whoever overrides one says who and why, and gets what was overridden, for the record.
 */
import type { InterlockEntry, Overridden, Override } from '../define/erasure.ts';
import { PermanentError } from '../define/errors.ts';
import type { NodeDriver, ObmDriver } from '../obm/driver.ts';
import { now } from '../runtime/clock.ts';
import type { Collection, CollectionSpec } from '../store/port.ts';

export const interlockSpec: CollectionSpec = { name: 'interlocks', indexes: { node: 'text', until: 'text' } };

export interface StoredInterlock extends InterlockEntry {
  node: string;
  since: string;
}

/** Of one node. */
const SHOWN = 10;

export class Interlocks {
  readonly #stored: Collection<StoredInterlock>;

  constructor(stored: Collection<StoredInterlock>) {
    this.#stored = stored;
  }

  async engage(node: string, entry: InterlockEntry): Promise<void> {
    const at = time();
    await this.#stored.remove({ until: { $lte: at } });
    await this.#stored.insertMissing([{ ...entry, node, since: at }]);
  }

  async release(id: string): Promise<void> {
    await this.#stored.remove({ id });
  }

  /** Those that hold now. */
  of(node: string): Promise<StoredInterlock[]> {
    return this.#stored.find({ node, until: { $gt: time() } }, { limit: SHOWN });
  }

  /**
   * To be asked before a node's power is touched.
   * @returns what was overridden; undefined: nothing was in the way
   * @throws PermanentError NODE_INTERLOCKED, with the reason
   */
  async check(node: string, override?: Override): Promise<Overridden | undefined> {
    const held = await this.of(node);
    if (held.length === 0) return undefined;
    const reasons = held.map(({ reason }) => reason);
    if (override?.force === true) return { ...override, reasons, at: time() };
    const until = held
      .map((entry) => entry.until)
      .sort()
      .at(-1);
    const message = `${reasons.join(' ')} Nothing was done to the node. It holds until ${until} at most`;
    throw new PermanentError(`${message}; to do it all the same, say interlock: { force: true, by, why }`, CODE);
  }
}

/** The driver of a node; its power commands ask the interlocks of the node first. */
export function interlocked(driver: ObmDriver, node: string, interlocks: Interlocks, override?: Override): NodeDriver {
  let overridden: Overridden | undefined;
  return {
    service: driver.service,
    get overridden() {
      return overridden;
    },
    async power(action, signal, commit) {
      const check = async () => {
        overridden = (await interlocks.check(node, override)) ?? overridden;
      };
      await check();
      // The command may have waited for its turn, and an erase begun meanwhile.
      await driver.power(action, signal, async () => {
        await check();
        await commit();
      });
    },
    state: (signal) => driver.state(signal),
    boot: (order, signal) => driver.boot(order, signal),
    identify: (on, signal) => driver.identify(on, signal),
    clearLog: (signal, commit) => driver.clearLog(signal, commit),
  };
}

const CODE = 'NODE_INTERLOCKED';

const time = (): string => new Date(now()).toISOString();
