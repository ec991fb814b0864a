/**
 * A driver: how one kind of obm service speaks to its BMC. Drivers are stateless; what a process shares (breakers,
 * sessions) comes with their limits.
 *
 * 1. A command awaits `commit` once, after everything that may fail before it, and is sent right after that, once. When
 *    `commit` rejects, nothing is sent. The daemon saves there that the command goes out.
 * 2. An error after `commit` has `sent: false` only when the BMC certainly did not carry the command out.
 * 3. Nothing repeats a command: neither the driver nor the tools and connections that it uses.
 * 4. Questions and settings may be repeated: the same again changes nothing.
 */
import type { Overridden } from '../define/erasure.ts';
import type { ObmService } from '../define/node.ts';
import type { BootOrder, PowerAction, PowerState } from '../define/obm.ts';
import type { CircuitBreakers } from './circuit-breaker.ts';
import type { Commit } from './commit.ts';
import type { NoteSecret } from './note-secret.ts';
import type { RedfishSessions } from './sessions.ts';

export interface ObmDriver {
  readonly service: ObmService;
  power(action: PowerAction, signal: AbortSignal, commit: Commit): Promise<void>;
  clearLog(signal: AbortSignal, commit: Commit): Promise<void>;
  state(signal: AbortSignal): Promise<PowerState>;
  boot(order: BootOrder, signal: AbortSignal): Promise<void>;
  identify(on: boolean, signal: AbortSignal): Promise<void>;
}

/** The driver of one node, which heeds the interlocks of that node. */
export interface NodeDriver extends ObmDriver {
  /** The interlock that a command went against so far. */
  readonly overridden?: Overridden;
}

export interface DriverLimits {
  breakers: CircuitBreakers;
  sessions: RedfishSessions;
  /** For one command. */
  timeoutMs: number;
  /** Of IPMI, where the config has none. */
  cipherSuite: number;
  note: NoteSecret;
}

/** @param config with its secrets, and a host that is an address or a name @throws ObmError OBM_INVALID */
export type OpenDriver = (config: Record<string, unknown>, limits: DriverLimits) => ObmDriver;
