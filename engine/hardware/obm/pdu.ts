/** `pdu-obm-service`: outlets of PDUs that SNMP switches, each by one packet: SNMP repeats none. */
import { ObmError, type PowerState } from '../../define/obm.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import type { DriverLimits, OpenDriver } from './driver.ts';
import {
  type OutletAction,
  OutletObm,
  outletLacks,
  POWER_ADVICE,
  type PowerOutlet,
  type ReadyOutlet,
} from './outlet-driver.ts';
import { type Outlet, pduOf } from './pdu-settings.ts';
import { type SnmpSession, withAgent } from './snmp-session.ts';
import type { SnmpTarget } from './snmp-settings.ts';

export const openPdu: OpenDriver = (config, limits) => {
  const { outlets, ...options } = pduOf(config);
  const all = outlets.map((outlet) => new SnmpOutlet(outlet, limits));
  return new OutletObm('pdu-obm-service', all, options);
};

class SnmpOutlet implements PowerOutlet {
  readonly #outlet: Outlet;
  readonly #limits: DriverLimits;

  constructor(outlet: Outlet, limits: DriverLimits) {
    this.#outlet = outlet;
    this.#limits = limits;
  }

  state(signal: AbortSignal): Promise<PowerState> {
    return this.#exchange(this.#outlet.reads, false, signal, (open) => read(open, this.#outlet));
  }

  /** Is set in any state: some PDUs report an outlet as off that they switch on later. */
  async prepare(action: OutletAction, signal: AbortSignal): Promise<ReadyOutlet> {
    if (action === 'reset') throw outletLacks(`power action ${action}`, POWER_ADVICE);
    const { writes } = this.#outlet;
    return {
      state: await this.state(signal),
      send: (until) => this.#exchange(writes, true, until, (open) => set(open, action, this.#outlet)),
    };
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

const rejectedError = (name: string, problem: string) =>
  new ObmError('OBM_FAILED', `${name} rejected the command: ${problem}; check that the community or user may write`, {
    sent: false,
  });
