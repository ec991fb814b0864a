/**
 * The power of nodes as a BMC last reported it: to a workflow, a poller, or a user who asked.
 *
 * A record may be old: it has its time, and nothing decides by it. The same state is stored again at most once a minute, since
 * a workflow that switches a node asks each second.
 */
import type { Power, PowerReading } from '../../api-port/power.ts';
import type { ObmDrivers } from '../../hardware/obm/obm-drivers.ts';
import { now } from '../../platform/lib/clock.ts';
import type { Collection } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { isOneOf } from '../../vocabulary/one-of.ts';
import { powerStates } from '../../vocabulary/states.ts';
import { codeOf, messageOf } from '../../vocabulary/thrown-values.ts';
import { MINUTE_MS } from '../../vocabulary/units.ts';
import type { StoredNode } from './stored-node.ts';

/** A request is answered within 9 s. */
const ANSWER_MS = 8_000;

export class PowerRecords {
  readonly #nodes: Pick<Collection<StoredNode>, 'update'>;
  readonly #failed: (error: unknown) => void;

  /** @param failed receives errors of the store, which do not fail the question to the BMC */
  constructor(nodes: Pick<Collection<StoredNode>, 'update'>, failed: (error: unknown) => void) {
    this.#nodes = nodes;
    this.#failed = failed;
  }

  /** @param state others than `on` and `off` are not stored */
  async note(node: string, state: string): Promise<void> {
    if (!isOneOf(powerStates, state)) return;
    const at = new Date(now()).toISOString();
    const minuteAgo = new Date(now() - MINUTE_MS).toISOString();
    const isNews = [{ 'power.state': { $ne: state } }, { 'power.at': { $lt: minuteAgo } }];
    try {
      await this.#nodes.update({ id: node, $or: isNews }, { $set: { power: { state, at } } });
    } catch (error) {
      this.#failed(error);
    }
  }
}

/** Asks the BMC of a node now. */
export const askPower = (obms: Pick<ObmDrivers, 'of'>): Power => ({
  async ask(node): Promise<PowerReading> {
    const signal = AbortSignal.timeout(ANSWER_MS);
    try {
      const state = await (await obms.of(node)).state(signal);
      return { state, at: new Date(now()).toISOString() };
    } catch (error) {
      throw unansweredError(error, signal.aborted);
    }
  },
});

function unansweredError(error: unknown, isLate: boolean): NodewrightError {
  if (isLate) return new NodewrightError('UNAVAILABLE', `the BMC gave no answer in ${ANSWER_MS / 1_000} s; check it`);
  const code = codeOf(error);
  const text = `${messageOf(error)} (${code})`;
  return new NodewrightError(code === 'OBM_MISSING' || code === 'OBM_INVALID' ? 'CONFLICT' : 'UNAVAILABLE', text);
}
