/**
 * The power activities, from which the power tasks are built.
 *
 * 1. A task run sends the command once. The state decides, not the answer: the activity polls the BMC until the node is
 *    in the requested state or the time is over.
 * 2. A later attempt, also after a crash of the process, finds the command in `sent` and only polls.
 * 3. Once the command was sent, a failure is final: another attempt could only poll again.
 */
import { setTimeout } from 'node:timers/promises';
import { Type } from 'typebox';
import { codeOf } from '../vocabulary/thrown-values.ts';
import type { OverriddenInterlock } from './erasure.ts';
import { goOnLater, isFinal, lookAtPower, meetsOpenCircuit, staysOpenBeyond } from './look-at-power.ts';
import { maybeDone, type Obm, ObmError, type PowerState, type SentCommand } from './obm.ts';
import { type ObmInput, obmOf, obmOptions, overriddenOf } from './obm-tasks.ts';
import type { ActivityScope } from './operation.ts';
import type { ProbeResult } from './task.ts';

/** Options of tasks that wait for the requested state. */
export const powerOptions = {
  ...obmOptions,
  timeoutMs: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3_600_000,
      description: 'ms until the node must be in the state. Absent: 60,000; longer while its BMC does not respond.',
    }),
  ),
};

/** Options of tasks that switch a node off. */
export const offOptions = {
  ...powerOptions,
  force: Type.Optional(
    Type.Boolean({ description: 'false: asks the operating system to shut down, which takes longer.' }),
  ),
};

export interface PowerInput extends ObmInput {
  to: 'on' | 'off';
  timeoutMs?: number;
  force?: boolean;
}

/** A machine takes seconds to switch, and some BMCs take as long again to report it. */
const TIMEOUT_MS = 60_000;
const PROBE_INTERVAL_MS = 1_000;
/** A BMC that responds again may still have to execute the commands that it received in the meantime. */
const RECOVERY_MS = 10_000;
/** The activity ends this long before the task run times out, so that it can report the last known state. */
const MARGIN_MS = 1_000;

/** Switches the node on or off. Returns once the BMC reports the new state. */
export async function switchPower(
  scope: ActivityScope<PowerInput>,
): Promise<{ power: PowerState; overridden?: OverriddenInterlock }> {
  const { signal, input } = scope;
  const { to, force = true } = input;
  const action = to === 'off' && !force ? 'soft' : to;
  const before = scope.sent.find(({ command, node }) => command === `power ${action}` && node === scope.nodeId);
  if (before?.done) return { power: to };
  const ends = endsOf(scope, before);
  const obm = await obmOf(scope);
  const power = await settleState(obm, to, ends, signal, await runCommand(obm, action, to, signal));
  return { power, ...overriddenOf(obm) };
}

/**
 * @returns the reason why it is unknown whether the BMC accepted the command; undefined: accepted
 * @throws if rejected
 */
async function runCommand(
  obm: Obm,
  action: 'on' | 'off' | 'soft',
  to: PowerState,
  signal: AbortSignal,
): Promise<Error | undefined> {
  try {
    await obm.power(action, signal);
    return undefined;
  } catch (error) {
    if (maybeDone(error)) return error as Error;
    // Some BMCs reject a command whose effect is already present.
    if (codeOf(error) === ('OBM_FAILED' satisfies ObmError['code']) && (await obm.state(signal)) === to)
      return undefined;
    throw error;
  }
}

/** Deadlines on the clock of `performance.now`. */
interface Ends {
  /** The node must be in the requested state. */
  switched: number;
  /** The BMC must respond. */
  answered: number;
  /** The task run times out. */
  call: number;
  recoveryMs: number;
}

function endsOf(
  { input: { timeoutMs }, timeLeftMs }: ActivityScope<PowerInput>,
  before: SentCommand | undefined,
): Ends {
  const now = performance.now();
  const call = timeLeftMs === null ? Number.POSITIVE_INFINITY : now + Math.max(timeLeftMs - MARGIN_MS, 0);
  const sentAt = now - (before?.agoMs ?? 0);
  return {
    switched: Math.min(sentAt + (timeoutMs ?? TIMEOUT_MS), call),
    answered: Math.min(timeoutMs === undefined ? call : sentAt + timeoutMs, call),
    call,
    recoveryMs: Math.min(timeoutMs ?? TIMEOUT_MS, RECOVERY_MS),
  };
}

/** @throws ObmError if the node or its BMC misses its deadline; OBM_CIRCUIT_OPEN to continue later */
async function settleState(
  obm: Obm,
  to: 'on' | 'off',
  ends: Ends,
  signal: AbortSignal,
  doubt: Error | undefined,
): Promise<PowerState> {
  let switched = ends.switched;
  let silence = doubt !== undefined;
  for (;;) {
    const look = await lookAtPower(obm, signal, ends.call);
    const now = performance.now();
    if (look instanceof Error) {
      silence = true;
      if (isFinal(look) || staysOpenBeyond(look, ends.answered - now)) throw unansweredError(obm, to, look);
      if (now >= ends.answered) throw unansweredError(obm, to, look);
      if (meetsOpenCircuit(look)) throw goOnLater(look);
    } else {
      if (look === to || look === 'unknown') return look;
      if (silence) switched = Math.max(switched, now + ends.recoveryMs);
      silence = false;
      if (now >= Math.min(switched, ends.answered)) throw unchangedError(obm, to, look, doubt);
    }
    await setTimeout(PROBE_INTERVAL_MS, undefined, { signal });
  }
}

function unansweredError({ service }: Obm, to: string, { message }: Error): ObmError {
  const problem = `sent the command to switch the node ${to} to ${service}, which does not report its outcome: ${message}`;
  return new ObmError('OBM_UNANSWERED', `${problem}; the command is not sent again, check the machine`, {
    retry: false,
    sent: true,
  });
}

function unchangedError({ service }: Obm, to: string, power: PowerState, doubt: Error | undefined): ObmError {
  const answer = doubt === undefined ? '' : ` (${doubt.message})`;
  const problem = `sent the command to switch the node ${to} to ${service}, but the node is ${power}${answer}`;
  return new ObmError('OBM_UNCHANGED', `${problem}; check the machine, or raise timeoutMs`, {
    retry: false,
    sent: true,
  });
}

/** After a crash of its process, `switchPower` resumes from the commands that it has sent. */
export const probePower = async (): Promise<ProbeResult<never>> => ({ state: 'resumable' });
