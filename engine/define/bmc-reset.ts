/**
 * The activity that restarts a BMC.
 *
 * 1. A task run sends the command once; a later attempt, also after a crash of the process, only asks.
 * 2. The BMC is back when it answers after a silence, or a minute after the command: some restart between two questions.
 */
import { setTimeout } from 'node:timers/promises';
import { Type } from 'typebox';
import { goOnLater, lookAtPower, meetsOpenCircuit, staysOpenBeyond } from './look-at-power.ts';
import { maybeDone, type Obm, ObmError } from './obm.ts';
import { type ObmInput, obmOf, obmOptions } from './obm-tasks.ts';
import type { ActivityScope } from './operation.ts';

const BACK_MS = 600_000;
/** Some BMCs answer for seconds before they restart. */
const QUIET_MS = 60_000;
const QUESTION_INTERVAL_MS = 2_000;

export const bmcResetOptions = {
  ...obmOptions,
  timeoutMs: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3_600_000,
      description: 'ms until the BMC must answer again. Absent: 600,000.',
    }),
  ),
};

export interface BmcResetInput extends ObmInput {
  timeoutMs?: number;
}

/** Deadlines on the clock of `performance.now`. */
interface Ends {
  /** The BMC must answer again. */
  answered: number;
  /** A BMC that was never silent has restarted. */
  quiet: number;
}

/** Restarts the BMC. Returns once it answers again. @throws ObmError OBM_UNANSWERED if it does not */
export async function resetBmc(scope: ActivityScope<BmcResetInput>): Promise<{ service: string }> {
  const { signal, input, nodeId } = scope;
  const before = scope.sent.find(({ command, node }) => command === 'reset bmc' && node === nodeId);
  const sentAt = performance.now() - (before?.agoMs ?? 0);
  const obm = await obmOf(scope);
  const isInDoubt = before === undefined && (await sendReset(obm, signal));
  await settleAnswers(obm, endsOf(sentAt, input), isInDoubt, signal);
  return { service: obm.service };
}

const endsOf = (sentAt: number, { timeoutMs = BACK_MS }: BmcResetInput): Ends => ({
  answered: sentAt + timeoutMs,
  quiet: sentAt + Math.min(timeoutMs, QUIET_MS),
});

/** @returns whether it is unknown that the BMC has taken the command: it may restart before it answers @throws if it has not */
async function sendReset(obm: Obm, signal: AbortSignal): Promise<boolean> {
  try {
    await obm.resetBmc(signal);
    return false;
  } catch (error) {
    if (maybeDone(error)) return true;
    throw error;
  }
}

/** @param isSilent whether the BMC has already left a request without an answer */
async function settleAnswers(obm: Obm, ends: Ends, isSilent: boolean, signal: AbortSignal): Promise<void> {
  let wasSilent = isSilent;
  for (;;) {
    // A question that has begun is awaited: its answer counts.
    const look = await lookAtPower(obm, signal, Number.POSITIVE_INFINITY);
    const now = performance.now();
    if (!(look instanceof Error) && (wasSilent || look === 'unknown' || now >= ends.quiet)) return;
    if (look instanceof Error) {
      wasSilent = true;
      if (now >= ends.answered || staysOpenBeyond(look, ends.answered - now)) throw unansweredError(obm, look);
      if (meetsOpenCircuit(look)) throw goOnLater(look);
    }
    await setTimeout(QUESTION_INTERVAL_MS, undefined, { signal });
  }
}

const unansweredError = ({ service }: Obm, { message }: Error): ObmError =>
  new ObmError(
    'OBM_UNANSWERED',
    `sent the command to restart the BMC to ${service}, which does not answer: ${message}`,
    {
      retry: false,
      sent: true,
    },
  );
