/** `ipmi-obm-service`: IPMI over LAN, version 2.0, by ipmitool. */
import { type BootOrder, ObmError, type PowerAction, type PowerState } from '../../define/obm.ts';
import type { Commit } from './commit.ts';
import type { DriverLimits, ObmDriver, OpenDriver } from './driver.ts';
import { type Bmc, ipmitool } from './ipmitool.ts';
import { bmcOf, bootModeOf } from './obm-settings.ts';
import type { IpmiRun } from './sel.ts';

/** Returns a function that runs commands on one BMC through its circuit breaker. */
export const ipmiRun =
  (bmc: Bmc, { breakers, timeoutMs }: Pick<DriverLimits, 'breakers' | 'timeoutMs'>): IpmiRun =>
  (command) =>
    breakers.run(`${bmc.host}:${bmc.port}`, command.signal, () => ipmitool(bmc, { timeoutMs, ...command }));

export const openIpmi: OpenDriver = (config, limits) =>
  new IpmiObm(ipmiRun(bmcOf(config, limits.cipherSuite), limits), bootModeOf(config));

/** IPMI 2.0, 28.12, parameter 3: keeps the boot device set even if no restart follows within a minute. */
const keepBootFlags = ['raw', '0x00', '0x08', '0x03', '0x08'];

/**
 * Each boot command of IPMI asks for one of the modes (parameter 5, bit 5); without `efiboot` that is BIOS.
 * @param mode that of the machine, where the order does not say it
 */
export function bootArguments(
  { device, persistent = false, uefi }: BootOrder,
  mode: Pick<BootOrder, 'uefi'>,
): string[] {
  const isUefi = uefi ?? mode.uefi ?? false;
  const options = [...(persistent ? ['persistent'] : []), ...(isUefi ? ['efiboot'] : [])];
  const extra = options.length === 0 ? [] : [`options=${options.join(',')}`];
  return ['chassis', 'bootdev', device === 'cd' ? 'cdrom' : device, ...extra];
}

class IpmiObm implements ObmDriver {
  readonly service = 'ipmi-obm-service';
  readonly #run: IpmiRun;
  readonly #mode: Pick<BootOrder, 'uefi'>;

  constructor(run: IpmiRun, mode: Pick<BootOrder, 'uefi'>) {
    this.#run = run;
    this.#mode = mode;
  }

  async power(action: PowerAction, signal: AbortSignal, commit: Commit): Promise<void> {
    await this.#run({ args: ['chassis', 'power', action], commit, signal });
  }

  async state(signal: AbortSignal): Promise<PowerState> {
    const said = await this.#run({ args: ['chassis', 'power', 'status'], signal });
    const [, state] = /Chassis Power is (on|off)/.exec(said) ?? [];
    if (state === 'on' || state === 'off') return state;
    throw new ObmError('OBM_FAILED', `ipmitool chassis power status says "${said.slice(0, 200)}", expected on or off`);
  }

  async boot(order: BootOrder, signal: AbortSignal): Promise<void> {
    await this.#run({ args: keepBootFlags, signal }).catch(unlessRejected);
    await this.#run({ args: bootArguments(order, this.#mode), signal });
  }

  async identify(on: boolean, signal: AbortSignal): Promise<void> {
    await this.#run({ args: ['chassis', 'identify', on ? 'force' : '0'], signal });
  }

  async clearLog(signal: AbortSignal, commit: Commit): Promise<void> {
    await this.#run({ args: ['sel', 'clear'], commit, signal });
  }

  async resetBmc(signal: AbortSignal, commit: Commit): Promise<void> {
    await this.#run({ args: ['mc', 'reset', 'cold'], commit, signal });
  }
}

/** Ignores a rejection: not every BMC has the parameter. */
const unlessRejected = (error: unknown): void => {
  if (!(error instanceof ObmError) || error.code !== 'OBM_FAILED') throw error;
};
