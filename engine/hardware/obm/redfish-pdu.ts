/** `redfish-pdu-obm-service`: outlets of PDUs that have DMTF's PowerEquipment (DSP2046: PowerDistribution, Outlet). */
import { ObmError, type PowerState } from '../../define/obm.ts';
import { property } from '../../vocabulary/json.ts';
import { SECOND_MS } from '../../vocabulary/units.ts';
import { SERVICE_ROOT } from '../redfish/service.ts';
import type { OpenDriver, RedfishLimits } from './driver.ts';
import {
  type OutletAction,
  OutletObm,
  outletLacks,
  POWER_ADVICE,
  type PowerOutlet,
  type ReadyOutlet,
} from './outlet-driver.ts';
import { RedfishAt } from './redfish-at.ts';
import { type RedfishOutletPlace, redfishPduOf } from './redfish-pdu-settings.ts';
import { allowedOf, powerStateIn, type Resource, resourceLinks } from './redfish-resource.ts';

export const openRedfishPdu: OpenDriver = (config, limits) => {
  const { outlets, ...options } = redfishPduOf(config);
  const all = outlets.map((outlet) => new RedfishOutlet(outlet, limits));
  return new OutletObm('redfish-pdu-obm-service', all, options);
};

const PDUS = `${SERVICE_ROOT}PowerEquipment/RackPDUs`;
const LONGEST_OFF_S = 300;
const powerValues: Record<OutletAction, string> = { on: 'On', off: 'Off', reset: 'PowerCycle' };

class RedfishOutlet implements PowerOutlet {
  readonly #place: RedfishOutletPlace;
  readonly #service: RedfishAt;

  constructor(place: RedfishOutletPlace, limits: RedfishLimits) {
    this.#place = place;
    this.#service = new RedfishAt(place.target, undefined, limits);
  }

  async state(signal: AbortSignal): Promise<PowerState> {
    return stateOf(await this.#read(signal));
  }

  async prepare(action: OutletAction, signal: AbortSignal): Promise<ReadyOutlet> {
    const resource = await this.#read(signal);
    const ask = this.#asking(signal);
    const { name } = this.#place;
    if (resource.PowerControlLocked === true) {
      const problem = `${name} is locked (PowerControlLocked); unlock it at the PDU`;
      throw new ObmError('OBM_REJECTED', problem, { retry: false });
    }
    const { path, allowed } = await allowedOf(ask, resource, '#Outlet.PowerControl', 'PowerState');
    const value = powerValues[action];
    if (allowed !== undefined && !allowed.includes(value))
      throw outletLacks(`${value} for ${name} (it has ${allowed.join(', ')})`, POWER_ADVICE);
    const state = stateOf(resource);
    const body = { PowerState: value };
    const send = async (until: AbortSignal) => {
      await this.#service.command({ path, body }, until, async () => {}); // the driver has awaited the commit
    };
    return { state, offMs: cycleMs(resource), ...(state !== action && { send }) };
  }

  #asking(signal: AbortSignal) {
    return (request: Parameters<RedfishAt['ask']>[0]) => this.#service.ask(request, signal);
  }

  async #read(signal: AbortSignal): Promise<Resource> {
    const { outlet, pdu = await this.#onlyPdu(signal) } = this.#place;
    const outlets = `${PDUS}/${pdu}/Outlets`;
    try {
      return await this.#service.ask({ method: 'GET', path: `${outlets}/${outlet}` }, signal);
    } catch (error) {
      if (!isMissing(error)) throw error;
      throw this.#absent('outlet', outlet, await this.#idsAt(outlets, signal));
    }
  }

  async #onlyPdu(signal: AbortSignal): Promise<string> {
    const ids = await this.#idsAt(PDUS, signal);
    const [only] = ids;
    if (only !== undefined && ids.length === 1) return only;
    throw this.#absent('PDU', undefined, ids);
  }

  /** Returns the ids in a collection; empty: there is no such collection. */
  async #idsAt(path: string, signal: AbortSignal): Promise<string[]> {
    try {
      const links = resourceLinks((await this.#service.ask({ method: 'GET', path }, signal)).Members);
      return links.map((link) => link.split('/').at(-1) ?? '');
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  #absent(what: 'PDU' | 'outlet', id: string | undefined, ids: readonly string[]): ObmError {
    const { origin } = this.#service;
    const has = ids.length === 0 ? `no ${what}s` : `the ${what}s ${ids.slice(0, LISTED).join(', ')}`;
    const problem = `${origin} has ${has}, expected ${id === undefined ? 'exactly one' : `${what} ${id}`}`;
    const advice = `correct the outlet in the redfish-pdu-obm-service${what === 'PDU' ? ', give its pdu' : ''}`;
    return new ObmError('OBM_INVALID', `${problem}; ${advice}`, { retry: false });
  }
}

/** Ids that an error lists. */
const LISTED = 60;

const isMissing = (error: unknown): boolean => error instanceof ObmError && error.status === 404;

const stateOf = (resource: Resource): PowerState =>
  resource.PowerStateInTransition === true ? 'changing' : powerStateIn(resource);

function cycleMs(resource: Resource): number | undefined {
  const seconds = property(resource, 'PowerCycleDelaySeconds');
  return typeof seconds === 'number' ? Math.min(seconds, LONGEST_OFF_S) * SECOND_MS : undefined;
}
