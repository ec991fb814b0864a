/**
 * The obms that switch the outlets that feed a node. For nodes without a BMC, and for BMCs that hang: they lose their power too.
 *
 * 1. Before a command, all outlets are asked, so that a wrong address, account or number of an outlet fails while nothing is sent.
 * 2. An outlet gets a command once. A command that went out for some outlets only may be done.
 * 3. An outlet says whether the node has power, not whether it runs.
 */
import { setTimeout } from 'node:timers/promises';
import { type ObmService, outletServices } from '../../define/node.ts';
import { type BootOrder, ObmError, type PowerAction, type PowerState } from '../../define/obm.ts';
import { isOneOf } from '../../vocabulary/one-of.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import type { Commit } from './commit.ts';
import type { ObmDriver } from './driver.ts';
import type { OutletOptions } from './outlet-settings.ts';

export type OutletAction = Extract<PowerAction, 'on' | 'off' | 'reset'>;

/** An outlet that was asked, and accepts the command. */
export interface ReadyOutlet {
  state: PowerState;
  /** How long the PDU itself leaves an outlet off; absent: it does not say. */
  offMs?: number | undefined;
  /** Absent: the outlet is in the requested state. */
  send?(signal: AbortSignal): Promise<void>;
}

export interface PowerOutlet {
  state(signal: AbortSignal): Promise<PowerState>;
  /** Changes nothing. @throws ObmError OBM_UNSUPPORTED if the PDU cannot do it */
  prepare(action: OutletAction, signal: AbortSignal): Promise<ReadyOutlet>;
}

export class OutletObm implements ObmDriver {
  readonly service: ObmService;
  readonly #outlets: readonly PowerOutlet[];
  readonly #options: OutletOptions;

  constructor(service: ObmService, outlets: readonly PowerOutlet[], options: OutletOptions) {
    this.service = service;
    this.#outlets = outlets;
    this.#options = options;
  }

  async power(action: PowerAction, signal: AbortSignal, commit: Commit): Promise<void> {
    signal.throwIfAborted();
    if (action === 'soft') throw outletLacks(`power action ${action}`, POWER_ADVICE);
    // Nothing ensures that the outlets are off at the same time.
    if (action === 'reset' && this.#outlets.length > 1) throw outletLacks('reset of several outlets', POWER_ADVICE);
    const outlets = await Promise.all(this.#outlets.map((outlet) => outlet.prepare(action, signal)));
    if (action === 'on') await setTimeout(darkMs(outlets, this.#options), undefined, { signal });
    await commit();
    let count = 0;
    for (const { send } of outlets) {
      if (send === undefined) continue;
      await send(signal).catch((error: unknown) => {
        throw count > 0 && error !== signal.reason ? halfSent(error, count) : error;
      });
      count += 1;
    }
  }

  async state(signal: AbortSignal): Promise<PowerState> {
    const states = await Promise.all(this.#outlets.map((outlet) => outlet.state(signal)));
    const [first = 'unknown', ...others] = states;
    return others.every((state) => state === first) ? first : 'changing';
  }

  async boot(_order: BootOrder, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#options.bootsFromNetwork) throw outletLacks('boot order', BOOT_ADVICE);
  }

  async identify(): Promise<void> {
    throw outletLacks('identify light', BMC_ADVICE);
  }

  async clearLog(): Promise<void> {
    throw outletLacks('event log', BMC_ADVICE);
  }

  async resetBmc(): Promise<void> {
    throw outletLacks('BMC', BMC_ADVICE);
  }
}

/** Whether the service says whether a node has power, and not whether it runs. */
export const isOutletService = (service: string | undefined): boolean =>
  service !== undefined && isOneOf<string>(outletServices, service);

const DEFAULT_OFF_MS = 10_000;

/**
 * Returns how long outlets that are off stay off before they are switched on: power supplies keep their charge for seconds, and with
 * it a BMC that hangs would not start again.
 */
export function darkMs(outlets: readonly ReadyOutlet[], { offMs: chosen }: Pick<OutletOptions, 'offMs'>): number {
  if (!outlets.some(({ state }) => state === 'off')) return 0;
  return chosen ?? Math.max(DEFAULT_OFF_MS, ...outlets.map(({ offMs = 0 }) => offMs));
}

export const POWER_ADVICE = 'it switches off and on (Graph.Reboot.Node, force), for others use an obm of the BMC';
const BMC_ADVICE = 'use an obm of the BMC';
const BOOT_ADVICE =
  'use an obm of the BMC, or put this obm with bootsFromNetwork, if the machine always boots from the network first';

export const outletLacks = (thing: string, advice: string) =>
  new ObmError('OBM_UNSUPPORTED', `a PDU has no ${thing}; ${advice}`, { retry: false });

const halfSent = (error: unknown, count: number) =>
  new ObmError('OBM_UNANSWERED', `${messageOf(error)}; the command went out for ${count} other outlets`, {
    sent: true,
  });
