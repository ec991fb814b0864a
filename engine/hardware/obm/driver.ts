/**
 * A driver: implements one obm service. Drivers are stateless; the state that a process shares (circuit breakers,
 * sessions) is passed with their limits.
 *
 * 1. A command awaits `commit` once, after every step that may fail, and is sent directly after it, once. If `commit`
 *    rejects, nothing is sent. The daemon saves in it that the command is being sent.
 * 2. An error after `commit` has `sent: false` only if the BMC certainly did not execute the command.
 * 3. Nothing repeats a command: neither the driver nor the tools and connections that it uses.
 * 4. Queries and settings may be repeated: they are idempotent.
 */
import type { OverriddenInterlock } from '../../define/erasure.ts';
import type { ObmService } from '../../define/node.ts';
import type { BootOrder, PowerAction, PowerState } from '../../define/obm.ts';
import type { RedfishSessions } from './bmc-sessions.ts';
import type { CircuitBreakers } from './circuit-breakers.ts';
import type { Commit } from './commit.ts';
import type { NoteSecret } from './note-secret.ts';

export interface ObmDriver {
  readonly service: ObmService;
  power(action: PowerAction, signal: AbortSignal, commit: Commit): Promise<void>;
  clearLog(signal: AbortSignal, commit: Commit): Promise<void>;
  resetBmc(signal: AbortSignal, commit: Commit): Promise<void>;
  state(signal: AbortSignal): Promise<PowerState>;
  boot(order: BootOrder, signal: AbortSignal): Promise<void>;
  identify(on: boolean, signal: AbortSignal): Promise<void>;
}

/** The driver of one node, which checks the node's interlocks. */
export interface NodeDriver extends ObmDriver {
  /** The interlocks that commands have overridden so far. */
  readonly usedOverride?: OverriddenInterlock | undefined;
}

export interface DriverLimits {
  breakers: CircuitBreakers;
  sessions: RedfishSessions;
  /** Timeout of one command. */
  timeoutMs: number;
  /** IPMI cipher suite if the config has none. */
  cipherSuite: number;
  note: NoteSecret;
  /** Returns the URL of the image by which the workflow of the caller boots the node from virtual media. */
  bootImage?(): Promise<string>;
}

export type RedfishLimits = Pick<DriverLimits, 'breakers' | 'sessions' | 'note'>;

/** @param config with its secrets, and a host that is an address or a name @throws ObmError OBM_INVALID */
export type OpenDriver = (config: Record<string, unknown>, limits: DriverLimits) => ObmDriver;
