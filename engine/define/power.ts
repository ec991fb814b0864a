/**
 * The acts of power: what tasks that switch a node on and off are made of.
 *
 * 1. A command is sent once in an attempt. What was asked for counts, not the answer: the node is looked at until it is
 *    in the state, or its time is over.
 * 2. Whether an act that was interrupted took effect is asked of the BMC. Only when the node is not in the state, and no
 *    command of the dead process can be under way any more, it may be sent again.
 */
import { setTimeout } from 'node:timers/promises';
import { Type } from 'typebox';
import type { Overridden } from './erasure.ts';
import { maybeDone, type Obm, ObmError, type PowerState } from './obm.ts';
import { type ObmInput, obmOf, obmOptions, overriddenOf } from './obm-tasks.ts';
import type { Found } from './task.ts';
import type { ActScope } from './work.ts';

/** Options of those that wait for what becomes of it. */
export const powerOptions = {
  ...obmOptions,
  timeoutMs: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 3_600_000, description: 'How long the node may take to get there.' }),
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
/** How long a command of a process that died may still be under way. */
const ORPHAN_MS = 10_000;

/** Switches the node on or off, and ends when it is. */
export async function switchPower(
  scope: ActScope<PowerInput>,
): Promise<{ power: PowerState; overridden?: Overridden }> {
  const { signal, input } = scope;
  const { to, force = true, timeoutMs = TIMEOUT_MS } = input;
  const obm = await obmOf(scope);
  try {
    await obm.power(to === 'off' && !force ? 'soft' : to, signal);
  } catch (error) {
    // Some BMCs refuse what is so already.
    if (!answeredBadly(error) || (await obm.state(signal)) !== to) throw error;
  }
  const power = await settled(obm, to, timeoutMs, signal);
  if (power === to || power === 'unknown') return { power, ...overriddenOf(obm) };
  throw new ObmError(
    'OBM_UNCHANGED',
    `${obm.service} was told to switch the node ${to}, but it is ${power} after ${timeoutMs} ms; look at the machine, or give it more timeoutMs`,
  );
}

const answeredBadly = (error: unknown): boolean =>
  maybeDone(error) || (error as { code?: unknown }).code === ('OBM_FAILED' satisfies ObmError['code']);

/** @returns `to` as soon as it is so; else what it is after `ms` */
async function settled(obm: Obm, to: PowerState, ms: number, signal: AbortSignal): Promise<PowerState> {
  const end = performance.now() + ms;
  for (;;) {
    const state = await looked(obm, signal, performance.now() >= end);
    if (state === to || state === 'unknown' || (state !== undefined && performance.now() >= end)) return state;
    await setTimeout(LOOK_MS, undefined, { signal });
  }
}

/** @returns undefined when it cannot be seen just now; a BMC may be away while its machine switches */
async function looked(obm: Obm, signal: AbortSignal, last: boolean): Promise<PowerState | undefined> {
  try {
    return await obm.state(signal);
  } catch (error) {
    if (last || signal.aborted || (error as { retry?: unknown }).retry === false) throw error;
    return undefined;
  }
}

/** What became of a `switchPower` whose process died. */
export async function probePower(scope: ActScope<PowerInput>): Promise<Found<{ power: PowerState }>> {
  const { to } = scope.input;
  const power = await settled(await obmOf(scope), to, ORPHAN_MS, scope.signal);
  return power === to ? { state: 'done', output: { power } } : { state: 'never-started' };
}
