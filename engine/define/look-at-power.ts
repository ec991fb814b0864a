/** A question for the power state that a command has brought about, to a BMC that may not respond in the meantime. */
import { codeOf, fieldOf } from '../vocabulary/thrown-values.ts';
import { withTimeLimit } from '../vocabulary/time-limit.ts';
import type { Obm, ObmError, PowerState } from './obm.ts';

/** @param end on the clock of `performance.now` @returns an error if the BMC does not respond; it may be unreachable while its machine switches */
export async function lookAtPower(obm: Obm, signal: AbortSignal, end: number): Promise<PowerState | Error> {
  const leftMs = Math.max(1, Math.min(end - performance.now(), 2 ** 31 - 1));
  const lateError = () => new Error('the BMC did not answer in time');
  try {
    return await withTimeLimit(signal, leftMs, lateError, (limited) => obm.state(limited));
  } catch (error) {
    signal.throwIfAborted();
    return error as Error;
  }
}

export const isFinal = (error: Error): boolean => fieldOf(error, 'retry') === false;
export const meetsOpenCircuit = (error: Error): boolean =>
  codeOf(error) === ('OBM_CIRCUIT_OPEN' satisfies ObmError['code']);
export const staysOpenBeyond = (error: Error, leftMs: number): boolean =>
  meetsOpenCircuit(error) && Date.parse(String(fieldOf(error, 'backoffUntil'))) - Date.now() > leftMs;

/** The task run waits without a worker and polls again afterwards. */
export const goOnLater = (error: Error): Error => Object.assign(error, { sent: true });
