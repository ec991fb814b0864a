/**
 * `redfish-obm-service`: controls a ComputerSystem through its Redfish service (DSP0266, DSP2046).
 *
 * The capabilities of a BMC are read each time: reset types, boot targets and
 * indicator lights vary, also with its firmware.
 */

import { type BootOrder, ObmError, type PowerAction, type PowerState, theOnlySystem } from '../../define/obm.ts';
import { objectIn, property } from '../../vocabulary/json.ts';
import { SERVICE_ROOT } from '../redfish/service.ts';
import type { Commit } from './commit.ts';
import type { ObmDriver, OpenDriver, RedfishLimits } from './driver.ts';
import { bootModeOf, mediaBootOf, redfishOf } from './obm-settings.ts';
import { RedfishAt } from './redfish-at.ts';
import { eventLogOf } from './redfish-log.ts';
import { insertBootImage, type MediaBoot, withoutImage } from './redfish-media.ts';
import { allowedOf, linkOf, powerStateIn, type Resource, resourceLinks } from './redfish-resource.ts';
import type { RedfishRequest, RedfishSession, RedfishTarget } from './session.ts';

export const openRedfish: OpenDriver = (config, limits) => {
  const { target, path } = redfishOf(config);
  const { bootImage } = limits;
  const media = mediaBootOf(config) && bootImage && { service: new RedfishAt(target, path, limits), bootImage };
  return new RedfishObm(target, path, limits, { uefi: bootModeOf(config).uefi, media });
};

/** How a machine boots. */
interface BootSettings {
  /** Absent: its mode stays. */
  uefi: boolean | undefined;
  /** Absent: the microkernel comes from the network. */
  media: MediaBoot | undefined;
}

const SYSTEMS = `${SERVICE_ROOT}Systems`;

/** Acceptable reset types, in order of preference. */
const resetTypes: Record<PowerAction, readonly string[]> = {
  on: ['On', 'ForceOn'],
  off: ['ForceOff'],
  soft: ['GracefulShutdown'],
  reset: ['ForceRestart', 'PowerCycle'],
};

/** Some managers have the second one only. */
const bmcResetTypes = ['ForceRestart', 'GracefulRestart'];

const bootTargets: Record<BootOrder['device'], string> = { pxe: 'Pxe', disk: 'Hdd', cd: 'Cd' };

class RedfishObm implements ObmDriver {
  readonly service = 'redfish-obm-service';
  readonly #target: RedfishTarget;
  readonly #path: string | undefined;
  readonly #limits: RedfishLimits;
  readonly #settings: BootSettings;

  /** @param path of the ComputerSystem; absent: the service must have exactly one */
  constructor(target: RedfishTarget, path: string | undefined, limits: RedfishLimits, settings: BootSettings) {
    this.#target = target;
    this.#path = path;
    this.#limits = limits;
    this.#settings = settings;
  }

  power(action: PowerAction, signal: AbortSignal, commit: Commit): Promise<void> {
    return this.#with(signal, async (ask) => {
      const system = await this.#system(ask);
      const { path, allowed } = await allowedOf(ask, system, '#ComputerSystem.Reset', 'ResetType');
      const type = chosenType(resetTypes[action], allowed, `reset types for ${action}`);
      await ask({ method: 'POST', path, body: { ResetType: type }, commit });
    });
  }

  state(signal: AbortSignal): Promise<PowerState> {
    return this.#with(signal, async (ask) => {
      return powerStateIn(await this.#system(ask));
    });
  }

  /** Instead of the network the image of the node, once, whatever the order says: it is ejected when the workflow has ended. */
  async boot(order: BootOrder, signal: AbortSignal): Promise<void> {
    const { media } = this.#settings;
    if (order.device !== 'pxe' || media === undefined) return this.#override(order, signal);
    try {
      await insertBootImage(media, async (ask) => linkOf(await this.#system(ask)), signal);
      await this.#override({ device: 'cd', uefi: order.uefi }, signal);
    } catch (error) {
      throw withoutImage(error);
    }
  }

  #override({ device, persistent = false, uefi = this.#settings.uefi }: BootOrder, signal: AbortSignal): Promise<void> {
    return this.#with(signal, async (ask) => {
      const system = await this.#system(ask);
      const allowed = property(system.Boot, 'BootSourceOverrideTarget@Redfish.AllowableValues');
      const target = chosenType([bootTargets[device]], Array.isArray(allowed) ? allowed : undefined, 'boot targets');
      await this.#change(ask, system, {
        Boot: {
          BootSourceOverrideTarget: target,
          BootSourceOverrideEnabled: persistent ? 'Continuous' : 'Once',
          ...(uefi !== undefined && { BootSourceOverrideMode: uefi ? 'UEFI' : 'Legacy' }),
        },
      });
    });
  }

  identify(on: boolean, signal: AbortSignal): Promise<void> {
    return this.#with(signal, async (ask) => {
      const system = await this.#system(ask);
      if ('LocationIndicatorActive' in system) return this.#change(ask, system, { LocationIndicatorActive: on });
      if ('IndicatorLED' in system) return this.#change(ask, system, { IndicatorLED: on ? 'Blinking' : 'Off' });
      throw unsupportedError('the BMC has neither LocationIndicatorActive nor IndicatorLED');
    });
  }

  clearLog(signal: AbortSignal, commit: Commit): Promise<void> {
    return this.#with(signal, async (ask) => {
      const log = await eventLogOf(ask, await this.#system(ask));
      if (log === undefined) throw unsupportedError('the BMC has no system event log that can be cleared');
      await ask({ method: 'POST', path: log, body: {}, commit });
    });
  }

  resetBmc(signal: AbortSignal, commit: Commit): Promise<void> {
    return this.#with(signal, async (ask) => {
      const { Links: links } = await this.#system(ask);
      const [manager] = resourceLinks(property(links, 'ManagedBy'));
      if (manager === undefined) throw unsupportedError('the system names no manager (Links.ManagedBy)');
      const bmc = await ask({ method: 'GET', path: manager });
      const { path, allowed } = await allowedOf(ask, bmc, '#Manager.Reset', 'ResetType');
      const type = chosenType(bmcResetTypes, allowed, 'reset types');
      await ask({ method: 'POST', path, body: { ResetType: type }, commit });
    });
  }

  async #system(ask: Ask): Promise<Resource> {
    if (this.#path !== undefined) return ask({ method: 'GET', path: this.#path });
    const systems = resourceLinks((await ask({ method: 'GET', path: SYSTEMS })).Members);
    return ask({ method: 'GET', path: theOnlySystem(systems) });
  }

  async #change(ask: Ask, system: Resource, body: object): Promise<void> {
    const etag = system['@odata.etag'];
    const headers: Record<string, string> = typeof etag === 'string' ? { 'if-match': etag } : {};
    await ask({ method: 'PATCH', path: linkOf(system), body, headers });
  }

  #with<T>(signal: AbortSignal, work: (ask: Ask) => Promise<T>): Promise<T> {
    const { breakers, sessions, note } = this.#limits;
    const asking = (session: RedfishSession): Ask => {
      return async (request) => objectIn((await session.ask(request, signal)).body);
    };
    const run = () => sessions.use(this.#target, note, (session) => work(asking(session)));
    return breakers.run(this.#target.origin, signal, run);
  }
}

type Ask = (request: RedfishRequest) => Promise<Resource>;

/** @param allowed undefined: the BMC does not specify them */
function chosenType(wanted: readonly string[], allowed: readonly unknown[] | undefined, what: string): string {
  const resetType = wanted.find((type) => allowed === undefined || allowed.includes(type));
  if (resetType !== undefined) return resetType;
  throw unsupportedError(
    `the BMC has the ${what.replace(/ for .*/, '')} ${allowed?.join(', ')}, expected ${wanted.join(' or ')}`,
  );
}

const unsupportedError = (problem: string) =>
  new ObmError('OBM_UNSUPPORTED', `${problem}; use another obm of the node for this`, { retry: false });
