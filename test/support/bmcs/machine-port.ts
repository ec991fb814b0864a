/** The serial port of a machine and its BMC in memory: one session has it, as with serial over LAN. */
import { ObmError } from '../../../engine/define/obm.ts';
import type { SerialPort } from '../../../engine/hardware/obm/serial-console.ts';
import type { SerialEnd, SerialListener, SerialSession } from '../../../engine/hardware/obm/serial-session.ts';

interface Holder {
  listener: SerialListener;
  end(end: SerialEnd): void;
}

export class MachinePort implements SerialPort {
  typed = '';
  /** How many sessions got the port. */
  openings = 0;
  #holder: Holder | undefined;

  get isHeld(): boolean {
    return this.#holder !== undefined;
  }

  /** Output of the machine; lost if no session has the port. */
  write(text: string): void {
    this.#holder?.listener.data(Buffer.from(text));
  }

  /** The session ends, as when the network fails: the BMC believes that it is there. */
  cut(): void {
    this.#holder?.end({ error: new ObmError('OBM_UNANSWERED', 'the BMC does not answer'), isLeft: true });
  }

  async check(): Promise<void> {}

  async free(): Promise<void> {
    this.#holder?.end({ error: new ObmError('OBM_FAILED', 'the BMC ended the session'), isLeft: false });
    this.#holder = undefined;
  }

  open(listener: SerialListener, signal: AbortSignal): SerialSession {
    if (this.isHeld) {
      const error = new ObmError('OBM_BUSY', 'another session owns the serial console');
      return { write: () => false, end: Promise.resolve({ error, isLeft: false }) };
    }
    this.openings += 1;
    let holder: Holder | undefined;
    const end = new Promise<SerialEnd>((resolve) => {
      holder = { listener, end: resolve };
      this.#holder = holder;
      const close = () => {
        if (this.#holder === holder) this.#holder = undefined;
        resolve({ error: undefined, isLeft: false });
      };
      if (signal.aborted) close();
      signal.addEventListener('abort', close);
    });
    queueMicrotask(() => listener.connected());
    const write = (text: string): boolean => {
      this.typed += text;
      return this.#holder === holder;
    };
    return { write, end };
  }
}
