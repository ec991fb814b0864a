/**
 * `pdu-obm-service`: the outlets that feed the node, of power distribution units (PDUs) that SNMP switches. For nodes without a
 * BMC, and for BMCs that hang: they lose their power too.
 *
 * 1. Before a command, all outlets are asked, so that a wrong address, community or number of an outlet fails while nothing is sent.
 * 2. An outlet is set once, by one packet: SNMP repeats none. A command that went out for some outlets only may be done.
 * 3. An outlet says whether the node has power, not whether it runs.
 */
import { setTimeout } from 'node:timers/promises';
import { type BootOrder, ObmError, type PowerAction, type PowerState } from '../../define/obm.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import type { Commit } from './commit.ts';
import type { DriverLimits, ObmDriver, OpenDriver } from './driver.ts';
import { type Outlet, type PduSettings, pduOf } from './pdu-settings.ts';
import { type SnmpSession, withAgent } from './snmp-session.ts';
import type { SnmpTarget } from './snmp-settings.ts';

export const openPdu: OpenDriver = (config, limits) => new PduObm(pduOf(config), limits);

class PduObm implements ObmDriver {
  readonly service = 'pdu-obm-service';
  readonly #settings: PduSettings;
  readonly #limits: DriverLimits;

  constructor(settings: PduSettings, limits: DriverLimits) {
    this.#settings = settings;
    this.#limits = limits;
  }

  async power(action: PowerAction, signal: AbortSignal, commit: Commit): Promise<void> {
    signal.throwIfAborted();
    if (action !== 'on' && action !== 'off') throw unsupportedError(`power action ${action}`, POWER_ADVICE);
    const states = await this.#states(signal);
    // Power supplies keep their charge for seconds; with it, a BMC that hangs would not start again.
    if (action === 'on' && states.includes('off')) await setTimeout(this.#settings.offMs, undefined, { signal });
    await commit();
    let count = 0;
    for (const outlet of this.#settings.outlets) {
      try {
        await this.#exchange(outlet.writes, true, signal, (open) => set(open, action, outlet));
      } catch (error) {
        throw count > 0 && error !== signal.reason ? halfSent(error, count) : error;
      }
      count += 1;
    }
  }

  async state(signal: AbortSignal): Promise<PowerState> {
    const [first = 'unknown', ...others] = await this.#states(signal);
    return others.every((state) => state === first) ? first : 'changing';
  }

  async boot(_order: BootOrder, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#settings.bootsFromNetwork) throw unsupportedError('boot order', BOOT_ADVICE);
  }

  async identify(): Promise<void> {
    throw unsupportedError('identify light', BMC_ADVICE);
  }

  async clearLog(): Promise<void> {
    throw unsupportedError('event log', BMC_ADVICE);
  }

  async resetBmc(): Promise<void> {
    throw unsupportedError('BMC', BMC_ADVICE);
  }

  #states(signal: AbortSignal): Promise<PowerState[]> {
    const { outlets } = this.#settings;
    return Promise.all(outlets.map((one) => this.#exchange(one.reads, false, signal, (open) => read(open, one))));
  }

  /** Through the circuit breaker of the PDU, which limits concurrent requests, and opens after missing answers. */
  #exchange<T>(
    target: SnmpTarget,
    isCommand: boolean,
    signal: AbortSignal,
    use: (open: SnmpSession) => Promise<T>,
  ): Promise<T> {
    const { breakers, timeoutMs } = this.#limits;
    return breakers.run(`${target.host}:${target.port}`, signal, () =>
      withAgent(target, { timeoutMs, isCommand }, signal, use),
    );
  }
}

async function read({ snmp, session }: SnmpSession, { name, objects, index }: Outlet): Promise<PowerState> {
  const { column, on, off } = objects.state;
  const value = await new Promise<unknown>((resolve, reject) => {
    session.get([`${column}.${index}`], (error, [varbind] = []) => {
      // Version 1 answers that there is no such object with an error.
      if (error instanceof snmp.RequestFailedError) resolve(messageOf(error));
      else if (error !== null || varbind === undefined) reject(error ?? new Error('the answer has no value'));
      else resolve(snmp.isVarbindError(varbind) ? snmp.varbindError(varbind) : varbind.value);
    });
  });
  if (typeof value === 'number') return value === on ? 'on' : value === off ? 'off' : 'changing';
  const problem = `the PDU answers to ${column}.${index}, ${name}: ${String(value).slice(0, 200)}`;
  throw new ObmError('OBM_INVALID', `${problem}; correct model and outlet of the pdu-obm-service`, { retry: false });
}

function set({ snmp, session }: SnmpSession, action: 'on' | 'off', { name, objects, index }: Outlet): Promise<void> {
  const { column, value } = objects[action];
  return new Promise((resolve, reject) => {
    session.set([{ oid: `${column}.${index}`, type: snmp.ObjectType.Integer, value }], (error) => {
      if (error === null) resolve();
      else if (error instanceof snmp.RequestFailedError) reject(rejectedError(name, messageOf(error)));
      else reject(new ObmError('OBM_UNANSWERED', `${name} did not confirm: ${messageOf(error)}`));
    });
  });
}

const POWER_ADVICE = 'it switches off and on (Graph.Reboot.Node, force), for others use an obm of the BMC';
const BMC_ADVICE = 'use an obm of the BMC';
const BOOT_ADVICE =
  'use an obm of the BMC, or put the pdu-obm-service with bootsFromNetwork, if the machine always boots from the network first';

const unsupportedError = (thing: string, advice: string) =>
  new ObmError('OBM_UNSUPPORTED', `a PDU has no ${thing}; ${advice}`, { retry: false });

const rejectedError = (name: string, problem: string) =>
  new ObmError('OBM_FAILED', `${name} rejected the command: ${problem}; check that the community or user may write`, {
    sent: false,
  });

const halfSent = (error: unknown, count: number) =>
  new ObmError('OBM_UNANSWERED', `${messageOf(error)}; the command went out for ${count} other outlets`, {
    sent: true,
  });
