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
 * Failures are errors with one of the codes `OBM_...`.
 *
 * `power` and `clearLog` are commands: a call sends each of them at most once, over all of its attempts and restarts. A
 * command that this call has sent before fails as `OBM_UNANSWERED` with `sent`, and nothing leaves the daemon.
 */
export interface Obm {
  readonly service: string;
  /** The interlock that it went against so far. */
  readonly overridden?: Overridden;
  /** Sends the command, and does not wait for the machine to follow it. */
  power(action: PowerAction, signal: AbortSignal): Promise<void>;
  state(signal: AbortSignal): Promise<PowerState>;
  boot(order: BootOrder, signal: AbortSignal): Promise<void>;
  /** The light that shows where the machine is. */
  identify(on: boolean, signal: AbortSignal): Promise<void>;
  /** Empties the system event log. */
  clearLog(signal: AbortSignal): Promise<void>;
}

export type ObmCommand = `power ${PowerAction}` | 'clear log';

/** A command that a call has sent, or was about to send when its process died. It is kept in the workflow's row. */
export interface SentCommand {
  command: ObmCommand;
  node: string;
  /** ms between the send and the begin of the act that reads this. */
  agoMs: number;
  /** The act that sent it, or asked for its effect, succeeded. */
  done: boolean;
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
  /** true: the command may have been carried out. false: it certainly was not. Absent: as the code says. */
  sent?: boolean;
  /** ISO 8601: no command reaches the BMC before then. */
  backoffUntil?: string;
}

export type ObmCode = Extract<ErrorCode, `OBM_${string}`>;

/** Codes of failures that come before a command leaves the daemon. */
const unsent: readonly ObmCode[] = [
  ...(['OBM_MISSING', 'OBM_INVALID', 'OBM_REFUSED', 'OBM_UNSUPPORTED'] as const),
  ...(['OBM_UNREACHABLE', 'OBM_RESTING', 'OBM_BUSY'] as const),
];

/** Why an obm did not do what it was asked. */
export class ObmError extends Error {
  override readonly name = 'ObmError';
  readonly code: ObmCode;
  /** Absent: another attempt may help. */
  readonly retry?: false;
  /** Whether the command may have been carried out; undefined: the error alone does not tell. */
  readonly sent: boolean | undefined;
  readonly backoffUntil?: string;

  constructor(code: ObmCode, message: string, { retry = true, sent, backoffUntil }: Consequence = {}) {
    super(message);
    this.code = code;
    if (!retry) this.retry = false;
    this.sent = sent ?? (unsent.includes(code) ? false : undefined);
    if (backoffUntil !== undefined) this.backoffUntil = backoffUntil;
  }
}

/** Whether the command may have been carried out all the same; an error is looked at, wherever its class is from. */
export const maybeDone = (error: unknown): boolean => (error as { sent?: unknown } | null)?.sent === true;
