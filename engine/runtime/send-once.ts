/**
 * The obm that an act gets: its commands leave the daemon at most once in the act's call. The driver below it can only send
 * after `commit`, and `commit` is the step that puts the mark (`step/sent.ts`).
 *
 * 1. The mark is saved before the command goes out. A process that dies in between leaves the mark, and the command is not
 *    sent: whoever goes on asks the BMC.
 * 2. The mark is taken back only for an error that says `sent: false`. All others mean that it may have been carried out.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { WorkflowMessage } from '../actors/messages.ts';
import { NodewrightError, PermanentError } from '../define/errors.ts';
import { type Obm, type ObmCommand, ObmError } from '../define/obm.ts';
import type { Commit } from '../obm/commit.ts';
import type { NodeDriver } from '../obm/driver.ts';
import type { Work, WorkflowRow } from '../step/row.ts';
import { isDone, markOf } from '../step/sent.ts';
import type { Tell } from './tell.ts';

/** The act that runs, and who runs it. */
export interface Running {
  row: WorkflowRow;
  work: Work;
  /** The process. */
  by: string;
  tell: Pick<Tell, 'workflow'>;
}

/** How long a store that is away is waited for; the BMC has a place reserved for the command meanwhile. */
const STORE_MS = 30_000;
const AGAIN_MS = 250;

export function sendOnce(driver: NodeDriver, node: string, running: Running): Obm {
  const { row, work } = running;

  const send = async (command: ObmCommand, signal: AbortSignal, carry: (commit: Commit) => Promise<void>) => {
    const before = markOf(row, work, node, command);
    if (before !== undefined && isDone(before, work)) return;
    if (before !== undefined) throw sentBefore(driver, command);
    const id = randomUUID();
    let isCommitted = false;
    try {
      await carry(async () => {
        await mark(running, { id, node, command }, driver, signal);
        isCommitted = true;
      });
    } catch (error) {
      if (!isCommitted) throw error;
      if ((error as { sent?: unknown }).sent !== false) throw signal.aborted ? error : maybeSent(error as Error);
      await saved(running, { type: 'command.unsent', work: work.id, id }, AbortSignal.timeout(STORE_MS));
      throw error;
    }
  };

  return {
    service: driver.service,
    get overridden() {
      return driver.overridden;
    },
    power: (action, signal) => send(`power ${action}`, signal, (commit) => driver.power(action, signal, commit)),
    clearLog: (signal) => send('clear log', signal, (commit) => driver.clearLog(signal, commit)),
    state: (signal) => driver.state(signal),
    boot: (order, signal) => driver.boot(order, signal),
    identify: (on, signal) => driver.identify(on, signal),
  };
}

/** @throws ObmError when another attempt was first */
async function mark(
  running: Running,
  given: { id: string; node: string; command: ObmCommand },
  driver: NodeDriver,
  signal: AbortSignal,
): Promise<void> {
  const { work, by } = running;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(STORE_MS)]);
  const row = await saved(running, { type: 'command.send', work: work.id, by, ...given }, limit);
  const found = row && markOf(row, work, given.node, given.command);
  if (found?.id === given.id) return;
  if (found !== undefined) throw sentBefore(driver, given.command);
  throw new PermanentError('the call goes on elsewhere, or was cancelled; nothing was sent', 'TASK_INTERRUPTED');
}

/** A store that is away for a moment must not leave it open whether a mark was put. The same message twice does no harm. */
async function saved({ tell, row }: Running, message: WorkflowMessage, limit: AbortSignal) {
  for (;;) {
    try {
      return (await tell.workflow(row.id, message))?.row;
    } catch (error) {
      if (!(error instanceof NodewrightError) || error.code !== 'UNAVAILABLE' || limit.aborted) throw error;
      await setTimeout(AGAIN_MS);
    }
  }
}

const sentBefore = ({ service }: NodeDriver, command: ObmCommand) =>
  new ObmError(
    'OBM_UNANSWERED',
    `this call has given ${service} the command "${command}" before, and does not send it again; ask for the state`,
    { sent: true },
  );

/** The same error; it says that the command may have been carried out. */
function maybeSent(error: Error): Error {
  if (!(error instanceof ObmError)) return new ObmError('OBM_UNANSWERED', error.message, { sent: true });
  const { code, message, retry = true } = error;
  return new ObmError(code, message, { retry, sent: true });
}
