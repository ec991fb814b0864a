/**
 * Interlocks: reasons why a node's power must not be touched at the moment. An interlock is
 * engaged before the operation that it protects, released after it, and checked by all code that
 * switches a node, in any workflow and process.
 *
 * 1. An interlock that is not released holds until its `until`: a drive continues its operation without the engine.
 * 2. An override names its user and reason, and returns what was overridden, for the record.
 */
import type { InterlockEntry, OverriddenInterlock, Override } from '../../define/erasure.ts';
import type { NodeDriver, ObmDriver } from '../../hardware/obm/driver.ts';
import { now } from '../../platform/lib/clock.ts';
import type { Collection, CollectionSpec } from '../../platform/store/port.ts';
import { PermanentError } from '../../vocabulary/errors.ts';

export const interlockSpec: CollectionSpec = { name: 'interlocks', indexes: { node: 'text', until: 'text' } };

export interface StoredInterlock extends InterlockEntry {
  node: string;
  since: string;
}

/** Limit of interlocks shown for one node. */
const INTERLOCKS_PER_NODE = 10;

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

  /** Returns the interlocks that hold now. */
  of(node: string): Promise<StoredInterlock[]> {
    return this.#stored.find({ node, until: { $gt: time() } }, { limit: INTERLOCKS_PER_NODE });
  }

  /**
   * Must be called before a node's power is touched.
   * @returns what was overridden; undefined when no interlock holds
   * @throws PermanentError NODE_INTERLOCKED, with the reason
   */
  async check(node: string, override?: Override): Promise<OverriddenInterlock | undefined> {
    const held = await this.of(node);
    if (held.length === 0) return undefined;
    const reasons = held.map(({ reason }) => reason);
    if (override?.force === true) return { ...override, reasons, at: time() };
    const until = held
      .map((entry) => entry.until)
      .sort()
      .at(-1);
    const message = `${reasons.join(' ')} Nothing was done to the node. The interlock ends at ${until} at the latest`;
    throw new PermanentError(`${message}; to override it, pass interlock: { force: true, by, why }`, CODE);
  }
}

/** Returns a driver of the node whose power commands check the node's interlocks first. */
export function interlockedDriver(
  driver: ObmDriver,
  node: string,
  interlocks: Interlocks,
  override?: Override,
): NodeDriver {
  let overridden: OverriddenInterlock | undefined;
  return {
    service: driver.service,
    get usedOverride() {
      return overridden;
    },
    async power(action, signal, commit) {
      const check = async () => {
        overridden = (await interlocks.check(node, override)) ?? overridden;
      };
      await check();
      // The command may have waited for its turn, and an erase may have started in the meantime.
      await driver.power(action, signal, async () => {
        await check();
        await commit();
      });
    },
    state: (signal) => driver.state(signal),
    boot: (order, signal) => driver.boot(order, signal),
    identify: (on, signal) => driver.identify(on, signal),
    clearLog: (signal, commit) => driver.clearLog(signal, commit),
    resetBmc: (signal, commit) => driver.resetBmc(signal, commit),
  };
}

const CODE = 'NODE_INTERLOCKED';

const time = (): string => new Date(now()).toISOString();
