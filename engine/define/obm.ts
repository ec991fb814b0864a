/** Obms: the commands that an activity can send to a node's management controller, whatever the service. */

import type { ErrorCode } from '../vocabulary/errors.ts';
import { fieldOf } from '../vocabulary/thrown-values.ts';
import type { OverriddenInterlock } from './erasure.ts';

const powerActions = ['on', 'off', 'soft', 'reset'] as const;
/** `soft` asks the operating system to shut down; `off` and `reset` do not. */
export type PowerAction = (typeof powerActions)[number];

/** `changing`: between the two. `unknown`: this service cannot tell. */
export type PowerState = 'on' | 'off' | 'changing' | 'unknown';

const bootDevices = ['pxe', 'disk', 'cd'] as const;
type BootDevice = (typeof bootDevices)[number];

export interface BootOrder {
  /** `cd`: a drive for CDs, also a virtual one. */
  device: BootDevice;
  /** Absent: only for the next boot. */
  persistent?: boolean | undefined;
  /** Absent: that of the obm; without one the current mode over Redfish, and BIOS over IPMI, which has no other default. */
  uefi?: boolean | undefined;
}

/**
 * Power management of one node. Every method ends within its configured timeout, or soon after the signal. Failures are
 * errors with one of the codes `OBM_...`.
 *
 * `power`, `clearLog` and `resetBmc` are commands: a task run sends each of them at most once, over all attempts and restarts. A
 * command that this task run has already sent fails as `OBM_UNANSWERED` with `sent`, without a request to the BMC.
 */
export interface Obm {
  readonly service: string;
  /** The interlock that was overridden so far. */
  readonly usedOverride?: OverriddenInterlock | undefined;
  /** Sends the command. Does not wait for its effect. */
  power(action: PowerAction, signal: AbortSignal): Promise<void>;
  state(signal: AbortSignal): Promise<PowerState>;
  boot(order: BootOrder, signal: AbortSignal): Promise<void>;
  /** Switches the identify light. */
  identify(on: boolean, signal: AbortSignal): Promise<void>;
  /** Clears the system event log. */
  clearLog(signal: AbortSignal): Promise<void>;
  /** Restarts the BMC itself, not the node. It does not answer for minutes. */
  resetBmc(signal: AbortSignal): Promise<void>;
}

export type ObmCommand =
  | `power ${PowerAction}`
  | 'clear log'
  | 'reset bmc'
  | 'update firmware'
  | `${'create' | 'delete'} volume ${string}`;

/** A command that a task run has sent, or was about to send when its process died. Stored in the workflow's row. */
export interface SentCommand {
  command: ObmCommand;
  node: string;
  /** ms between sending the command and the start of the activity that reads this. */
  agoMs: number;
  /** The activity that sent the command, or checked its effect, succeeded. */
  done: boolean;
}

interface RedfishAsked {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
}

/** The body of a multipart update (DSP0266, 12.6.2.2), sent as a stream. */
export interface RedfishUpload {
  parameters: Record<string, unknown>;
  file: { name: string; size: number; open(): AsyncIterable<Uint8Array> };
}

/** How far a task of a BMC is (DSP0266, 12.2). */
export interface RedfishProgress {
  /** True: it has succeeded. */
  ended: boolean;
  /** Such as `Running`. */
  state: string;
  /** null: the BMC does not say. */
  percent: number | null;
}

/** A Redfish service, used in a shared session that is released afterwards. */
export interface Redfish {
  /** For example `https://10.1.1.7`. */
  readonly origin: string;
  /** Path of the node's ComputerSystem; undefined: the obm does not name it. */
  readonly system: string | undefined;
  /** @returns the JSON of the response; empty if it has none @throws ObmError */
  ask(request: RedfishAsked, signal: AbortSignal): Promise<Record<string, unknown>>;
  /**
   * The same for long-running operations: waits until the Redfish task has ended, or the signal aborts.
   * @returns the JSON result of the task @throws ObmError, also if the task failed
   */
  finish(request: RedfishAsked, signal: AbortSignal): Promise<Record<string, unknown>>;
  /**
   * Sends a command, at most once in a task run, as those of `Obm`. Does not wait for its effect.
   * @returns the path of its task's monitor; null: it has no task
   * @throws ObmError OBM_UNANSWERED with `sent`, if this task run has already sent it
   */
  command(command: ObmCommand, request: RedfishCommand, signal: AbortSignal): Promise<string | null>;
  /** @param monitor of a task @throws ObmError, also if the task failed */
  progress(monitor: string, signal: AbortSignal): Promise<RedfishProgress>;
}

/** @param method absent: POST @param upload instead of `body` @param timeoutMs absent: that of all requests */
export interface RedfishCommand {
  method?: 'POST' | 'DELETE';
  path: string;
  body?: unknown;
  upload?: RedfishUpload;
  timeoutMs?: number;
}

/**
 * The BMC account of an obm, whose password is replaced in three steps; each may be repeated after a crash. The passwords
 * stay in the engine.
 */
export interface BmcAccount {
  /** Keeps a new password beside the one in use, if the BMC accepts that one. @param length absent: the longest that is safe */
  prepare(length: number | undefined, signal: AbortSignal): Promise<void>;
  /** Gives the account the new password, unless it has it, and proves it by a log-in. */
  change(signal: AbortSignal): Promise<void>;
  /** Stores what was proven. @returns the services of the obms that have the new password */
  settle(signal: AbortSignal): Promise<string[]>;
}

/** A command of Dell's racadm. @param accepts exit codes; absent: 0 */
export interface RacadmCommand {
  args: readonly string[];
  accepts?: readonly number[];
  timeoutMs: number;
  signal: AbortSignal;
}

/** Runs a command against the iDRAC of a node. @returns its output @throws ObmError */
export type Racadm = (command: RacadmCommand) => Promise<string>;

/** Values that override those of the node's `redfish-obm-service`. */
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
  /** true: the command may have been executed. false: it was not. Absent: depends on the code. */
  sent?: boolean;
  /** ISO 8601: no command is sent to the BMC before then. */
  backoffUntil?: string;
  /** Status code of the HTTP answer. */
  status?: number;
}

export type ObmCode = Extract<ErrorCode, `OBM_${string}`>;

/** Codes of failures before the command is sent. */
const unsent: readonly ObmCode[] = [
  ...(['OBM_MISSING', 'OBM_INVALID', 'OBM_REJECTED', 'OBM_UNSUPPORTED', 'OBM_NO_BOOT_IMAGE'] as const),
  ...(['OBM_UNREACHABLE', 'OBM_CIRCUIT_OPEN', 'OBM_BUSY'] as const),
];

/** Why an obm command failed. */
export class ObmError extends Error {
  override readonly name = 'ObmError';
  readonly code: ObmCode;
  /** Absent: another attempt may help. */
  readonly retry?: false;
  /** Whether the command may have been executed; undefined: the error does not say. */
  readonly sent: boolean | undefined;
  readonly backoffUntil?: string;
  readonly status?: number;

  constructor(code: ObmCode, message: string, { retry = true, sent, backoffUntil, status }: Consequence = {}) {
    super(message);
    this.code = code;
    if (!retry) this.retry = false;
    this.sent = sent ?? (unsent.includes(code) ? false : undefined);
    if (backoffUntil !== undefined) this.backoffUntil = backoffUntil;
    if (status !== undefined) this.status = status;
  }
}

/** Whether the command may have been executed despite the error. Accepts any error class. */
export const maybeDone = (error: unknown): boolean => fieldOf(error, 'sent') === true;

/** @param systems paths of the ComputerSystems of a BMC @throws ObmError OBM_INVALID unless there is exactly one */
export function theOnlySystem(systems: readonly string[]): string {
  const [only] = systems;
  if (only !== undefined && systems.length === 1) return only;
  const problem = `the BMC has ${systems.length} systems: ${systems.slice(0, 20).join(', ')}`;
  throw new ObmError('OBM_INVALID', `${problem}; name one of them as root in the obm's config`, { retry: false });
}
