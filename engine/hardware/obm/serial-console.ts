/** The serial console of a machine, by serial over LAN of its BMC. */
import { ObmError } from '../../define/obm.ts';
import type { Bmc } from './ipmitool.ts';
import type { IpmiRun } from './sel.ts';
import { openSerial, type SerialListener, type SerialSession } from './serial-session.ts';

export interface SerialPort {
  /** Asks the BMC, through its circuit breaker, so that a session is not tried in vain. @throws ObmError */
  check(signal: AbortSignal): Promise<void>;
  /** Takes the port back from the session that has it. @throws ObmError if the BMC does not answer */
  free(signal: AbortSignal): Promise<void>;
  /** @param signal closes the session */
  open(listener: SerialListener, signal: AbortSignal): SerialSession;
}

export class SerialConsole implements SerialPort {
  readonly #bmc: Bmc;
  readonly #run: IpmiRun;

  constructor(bmc: Bmc, run: IpmiRun) {
    this.#bmc = bmc;
    this.#run = run;
  }

  check(signal: AbortSignal): Promise<void> {
    return this.#tell(['sol', 'info'], signal);
  }

  free(signal: AbortSignal): Promise<void> {
    return this.#tell(['sol', 'deactivate'], signal);
  }

  open(listener: SerialListener, signal: AbortSignal): SerialSession {
    return openSerial(this.#bmc, listener, signal);
  }

  /** An answer is enough: not every BMC has the parameters of `sol info`, and the port may be free already. */
  async #tell(args: readonly string[], signal: AbortSignal): Promise<void> {
    await this.#run({ args, signal }).catch((error: unknown) => {
      if (!(error instanceof ObmError) || error.code !== 'OBM_FAILED') throw error;
    });
  }
}
