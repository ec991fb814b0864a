/** Obms: what an act may ask of the machine that powers a node, whichever service speaks to it. */
import type { Overridden } from './erasure.ts';
import type { ErrorCode } from './errors.ts';

export const powerActions = ['on', 'off', 'soft', 'reset'] as const;
/** `soft` asks the operating system to shut down; `off` and `reset` do not. */
export type PowerAction = (typeof powerActions)[number];

/** `changing`: on its way to one of both. `unknown`: this service cannot tell. */
export type PowerState = 'on' | 'off' | 'changing' | 'unknown';

export interface BootOrder {
  device: 'pxe' | 'disk';
  /** Absent: for the next boot alone. */
  persistent?: boolean;
  /** Absent: as the machine has it. */
  uefi?: boolean;
}

/**
 * One node's way to its power. Everything ends within the time that the configuration gives it, or soon after the signal.
 * What fails is an error with one of the codes `OBM_...`.
 */
export interface Obm {
  readonly service: string;
  /** The interlock that it went against so far. */
  readonly overridden?: Overridden;
  /** Tells it once, and does not wait for what becomes of it. */
  power(action: PowerAction, signal: AbortSignal): Promise<void>;
  state(signal: AbortSignal): Promise<PowerState>;
  boot(order: BootOrder, signal: AbortSignal): Promise<void>;
  /** The light that shows where the machine is. */
  identify(on: boolean, signal: AbortSignal): Promise<void>;
  /** Empties the system event log. */
  clearLog(signal: AbortSignal): Promise<void>;
}

interface RedfishAsked {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
}

/** A Redfish service, in a session that its users share and that is given back. */
export interface Redfish {
  /** Such as `https://10.1.1.7`. */
  readonly origin: string;
  /** @returns the answer's JSON, empty when there was none @throws ObmError */
  ask(asked: RedfishAsked, signal: AbortSignal): Promise<Record<string, unknown>>;
  /**
   * The same for what may take longer than one answer: waits for the end of its task, for as long as the signal lets it.
   * @returns the JSON that the task left @throws ObmError, also when the task failed
   */
  finish(asked: RedfishAsked, signal: AbortSignal): Promise<Record<string, unknown>>;
}

/** What is given instead of what the node's `redfish-obm-service` says. */
export interface RedfishAccess {
  origin?: string | undefined;
  username?: string | undefined;
  password?: string | undefined;
  verifySSL?: boolean | undefined;
  ca?: string | undefined;
}

interface Consequence {
  /** false: another attempt cannot help. */
  retry?: boolean;
  /** The command went out and nothing came back: it may have been carried out. */
  sent?: boolean;
}

export type ObmCode = Extract<ErrorCode, `OBM_${string}`>;

/** Why an obm did not do what it was asked. */
export class ObmError extends Error {
  override readonly name = 'ObmError';
  readonly code: ObmCode;
  /** Absent: another attempt may help. */
  readonly retry?: false;
  readonly sent: boolean;

  constructor(code: ObmCode, message: string, { retry = true, sent = false }: Consequence = {}) {
    super(message);
    this.code = code;
    if (!retry) this.retry = false;
    this.sent = sent;
  }
}

/** Whether the command may have been carried out all the same; an error is looked at, wherever its class is from. */
export const maybeDone = (error: unknown): boolean => (error as { sent?: unknown } | null)?.sent === true;
