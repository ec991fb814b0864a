/**
 * Interlocks: why a node's power must not be touched at the moment. Engaged before what would suffer begins, released when
 * it is over; asked by whatever is about to switch a node, in any workflow and any process.
 *
 * 1. One that nobody released holds until its own `until`: what goes on in a drive goes on without us.
 * 2. Whoever overrides one says who and why, and gets what was overridden, for the record.
 */
import type { InterlockEntry, Overridden, Override } from '../define/erasure.ts';
import { PermanentError } from '../define/errors.ts';
import type { Obm } from '../define/obm.ts';
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

/** The obm, whose power actions ask the interlocks of their node first. */
export function interlocked(obm: Obm, node: string, interlocks: Interlocks, override?: Override): Obm {
  let overridden: Overridden | undefined;
  return {
    service: obm.service,
    get overridden() {
      return overridden;
    },
    async power(action, signal) {
      overridden = (await interlocks.check(node, override)) ?? overridden;
      await obm.power(action, signal);
    },
    state: (signal) => obm.state(signal),
    boot: (order, signal) => obm.boot(order, signal),
    identify: (on, signal) => obm.identify(on, signal),
    clearLog: (signal) => obm.clearLog(signal),
  };
}

const CODE = 'NODE_INTERLOCKED';

const time = (): string => new Date(now()).toISOString();
