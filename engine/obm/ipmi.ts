/** `ipmi-obm-service`: IPMI over LAN, version 2.0, by ipmitool. */
import { type BootOrder, type Obm, ObmError, type PowerAction, type PowerState } from '../define/obm.ts';
import type { Gates } from './gate.ts';
import { type Bmc, type IpmiCommand, ipmitool } from './ipmitool.ts';

export interface IpmiLimits {
  gates: Gates;
  timeoutMs: number;
}

/** IPMI 2.0, 28.12, parameter 3: the boot device stays set when no restart comes within a minute. */
const keepBootFlags = ['raw', '0x00', '0x08', '0x03', '0x08'];

export class IpmiObm implements Obm {
  readonly service = 'ipmi-obm-service';
  readonly #bmc: Bmc;
  readonly #limits: IpmiLimits;

  constructor(bmc: Bmc, limits: IpmiLimits) {
    this.#bmc = bmc;
    this.#limits = limits;
  }

  async power(action: PowerAction, signal: AbortSignal): Promise<void> {
    await this.#run({ args: ['chassis', 'power', action], repeatable: false, signal });
  }

  async state(signal: AbortSignal): Promise<PowerState> {
    const said = await this.#run({ args: ['chassis', 'power', 'status'], repeatable: true, signal });
    const [, state] = /Chassis Power is (on|off)/.exec(said) ?? [];
    if (state === 'on' || state === 'off') return state;
    throw new ObmError('OBM_FAILED', `ipmitool chassis power status says "${said.slice(0, 200)}", expected on or off`);
  }

  async boot({ device, persistent = false, uefi = false }: BootOrder, signal: AbortSignal): Promise<void> {
    await this.#run({ args: keepBootFlags, repeatable: true, signal }).catch(unlessRefused);
    const options = [...(persistent ? ['persistent'] : []), ...(uefi ? ['efiboot'] : [])];
    const extra = options.length === 0 ? [] : [`options=${options.join(',')}`];
    await this.#run({ args: ['chassis', 'bootdev', device, ...extra], repeatable: true, signal });
  }

  async identify(on: boolean, signal: AbortSignal): Promise<void> {
    await this.#run({ args: ['chassis', 'identify', on ? 'force' : '0'], repeatable: true, signal });
  }

  async clearLog(signal: AbortSignal): Promise<void> {
    await this.#run({ args: ['sel', 'clear'], repeatable: false, signal });
  }

  #run(command: Omit<IpmiCommand, 'timeoutMs'>): Promise<string> {
    const { host, port } = this.#bmc;
    const { gates, timeoutMs } = this.#limits;
    const run = () => ipmitool(this.#bmc, { ...command, timeoutMs });
    return gates.run(`the BMC at ${host}:${port}`, command.signal, run);
  }
}

/** Not every BMC has the parameter; those without do as they like. */
const unlessRefused = (error: unknown): void => {
  if (!(error instanceof ObmError) || error.code !== 'OBM_FAILED') throw error;
};
