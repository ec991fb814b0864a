/**
 * The acts of power: tasks that switch a node on and off are made of them.
 *
 * 1. The command goes out once in a call. What was asked for counts, not the answer: the BMC is asked for the state until
 *    the node is in it, or the time is over.
 * 2. A later attempt, and one after the death of the process, finds the command in `sent`: it only asks.
 * 3. Once the command went out, the end is final: another attempt could only ask again.
 */
import { setTimeout } from 'node:timers/promises';
import { Type } from 'typebox';
import type { Overridden } from './erasure.ts';
import { maybeDone, type Obm, ObmError, type PowerState, type SentCommand } from './obm.ts';
import { type ObmInput, obmOf, obmOptions, overriddenOf } from './obm-tasks.ts';
import type { Found } from './task.ts';
import type { ActScope } from './work.ts';

/** Options of those that wait for what becomes of it. */
export const powerOptions = {
  ...obmOptions,
  timeoutMs: Type.Optional(
    Type.Integer({
      ...{ minimum: 1, maximum: 3_600_000 },
      description: 'ms that the node may take to get there. Absent: 60,000; longer while its BMC does not answer.',
    }),
  ),
};

/** Options of those that switch off. */
export const offOptions = {
  ...powerOptions,
  force: Type.Optional(
    Type.Boolean({ description: 'false: the operating system is asked to shut down, which takes longer.' }),
  ),
};

export interface PowerInput extends ObmInput {
  to: 'on' | 'off';
  timeoutMs?: number;
  force?: boolean;
}

/** A machine takes seconds to switch, and some BMCs as long again to notice. */
const TIMEOUT_MS = 60_000;
const LOOK_MS = 1_000;
/** A BMC that answers again after a silence may not have carried out yet what it got meanwhile. */
const WAKING_MS = 10_000;
/** Before the call times out, so that it ends with what is known. */
const MARGIN_MS = 1_000;

/** Switches the node on or off, and ends when it is. */
export async function switchPower(
  scope: ActScope<PowerInput>,
): Promise<{ power: PowerState; overridden?: Overridden }> {
  const { signal, input } = scope;
  const { to, force = true } = input;
  const action = to === 'off' && !force ? 'soft' : to;
  const before = scope.sent.find(({ command, node }) => command === `power ${action}` && node === scope.nodeId);
  if (before?.done) return { power: to };
  const ends = endsOf(scope, before);
  const obm = await obmOf(scope);
  const power = await settled(obm, to, ends, signal, await told(obm, action, to, signal));
  return { power, ...overriddenOf(obm) };
}

/** @returns why it is not known whether the BMC took the command; undefined: it did @throws when it did not */
async function told(
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
    // Some BMCs refuse what is so already.
    const { code } = error as { code?: unknown };
    if (code === ('OBM_FAILED' satisfies ObmError['code']) && (await obm.state(signal)) === to) return undefined;
    throw error;
  }
}

/** On the clock of `performance.now`. */
interface Ends {
  /** The node has to be there. */
  switched: number;
  /** The BMC has to answer. */
  answered: number;
  /** The call times out. */
  call: number;
  wakingMs: number;
}

function endsOf({ input: { timeoutMs }, timeLeftMs }: ActScope<PowerInput>, before: SentCommand | undefined): Ends {
  const now = performance.now();
  const call = timeLeftMs === null ? Number.POSITIVE_INFINITY : now + Math.max(timeLeftMs - MARGIN_MS, 0);
  const sentAt = now - (before?.agoMs ?? 0);
  return {
    switched: Math.min(sentAt + (timeoutMs ?? TIMEOUT_MS), call),
    answered: Math.min(timeoutMs === undefined ? call : sentAt + timeoutMs, call),
    call,
    wakingMs: Math.min(timeoutMs ?? TIMEOUT_MS, WAKING_MS),
  };
}

/** @throws ObmError when the node does not get there, when its BMC does not tell, and OBM_RESTING to go on later */
async function settled(
  obm: Obm,
  to: 'on' | 'off',
  ends: Ends,
  signal: AbortSignal,
  doubt: Error | undefined,
): Promise<PowerState> {
  let switched = ends.switched;
  let silence = doubt !== undefined;
  for (;;) {
    const look = await looked(obm, signal, ends.call);
    const now = performance.now();
    if (look instanceof Error) {
      silence = true;
      if (isFinal(look) || restsBeyond(look, ends.answered - now)) throw unanswered(obm, to, look);
      if (now >= ends.answered) throw unanswered(obm, to, look);
      if (isResting(look)) throw goOnLater(look);
    } else {
      if (look === to || look === 'unknown') return look;
      if (silence) switched = Math.max(switched, now + ends.wakingMs);
      silence = false;
      if (now >= Math.min(switched, ends.answered)) throw unchanged(obm, to, look, doubt);
    }
    await setTimeout(LOOK_MS, undefined, { signal });
  }
}

/** @returns an error when the BMC does not tell; it may be away while its machine switches */
async function looked(obm: Obm, signal: AbortSignal, end: number): Promise<PowerState | Error> {
  const leftMs = Math.max(1, Math.min(end - performance.now(), 2 ** 31 - 1));
  try {
    return await obm.state(AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(leftMs))]));
  } catch (error) {
    signal.throwIfAborted();
    return error as Error;
  }
}

interface Resting {
  code?: unknown;
  backoffUntil?: string;
}

const isFinal = (error: Error): boolean => (error as { retry?: unknown }).retry === false;
const isResting = (error: Error): boolean => (error as Resting).code === ('OBM_RESTING' satisfies ObmError['code']);
const restsBeyond = (error: Error, leftMs: number): boolean =>
  isResting(error) && Date.parse((error as Resting).backoffUntil ?? '') - Date.now() > leftMs;

/** The call waits without a worker, and asks again afterwards. */
const goOnLater = (error: Error): Error => Object.assign(error, { sent: true });

function unanswered({ service }: Obm, to: string, { message }: Error): ObmError {
  const found = `${service} was told to switch the node ${to}, and does not tell what became of it: ${message}`;
  return new ObmError('OBM_UNANSWERED', `${found}; it was not told again, look at the machine`, {
    ...{ retry: false, sent: true },
  });
}

function unchanged({ service }: Obm, to: string, power: PowerState, doubt: Error | undefined): ObmError {
  const answer = doubt === undefined ? '' : ` (${doubt.message})`;
  const found = `${service} was told to switch the node ${to}, but it is ${power}${answer}`;
  return new ObmError('OBM_UNCHANGED', `${found}; look at the machine, or give it more timeoutMs`, {
    ...{ retry: false, sent: true },
  });
}

/** After the death of its process a `switchPower` goes on from what it has sent. */
export const probePower = async (): Promise<Found<never>> => ({ state: 'resumable' });
