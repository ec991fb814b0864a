/**
 * The obm of an activity: each command is sent at most once in the activity's task run. The driver can send only after
 * `commit`, and `commit` is the step that sets the mark (`durable/step/sent.ts`).
 *
 * 1. The mark is saved before the command is sent. If the process dies in between, the mark remains and the command is
 *    not sent: the next attempt polls the BMC.
 * 2. The mark is removed only for an error with `sent: false`. After any other error the command may have been executed.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type Obm, type ObmCommand, ObmError, type Redfish } from '../../define/obm.ts';
import type { Commit } from '../../hardware/obm/commit.ts';
import type { NodeDriver } from '../../hardware/obm/driver.ts';
import type { RedfishDriver } from '../../hardware/obm/redfish-at.ts';
import { NodewrightError, PermanentError } from '../../vocabulary/errors.ts';
import { fieldOf } from '../../vocabulary/thrown-values.ts';
import type { WorkflowMessage } from '../actors/messages.ts';
import type { Operation, WorkflowRow } from '../step/row.ts';
import { isDone, markOf } from '../step/sent.ts';
import type { Sender } from './sender.ts';

/** The running activity and its process. */
export interface RunningActivity {
  row: WorkflowRow;
  operation: Operation;
  /** The process id. */
  by: string;
  send: Pick<Sender, 'workflow'>;
}

/** How long to wait for an unavailable store; in the meantime the command keeps its slot at the BMC. */
const STORE_MS = 30_000;
const RESEND_DELAY_MS = 250;

export function sendOnce(driver: NodeDriver, node: string, running: RunningActivity): Obm {
  const send = sender(driver.service, node, running);
  return {
    service: driver.service,
    get usedOverride() {
      return driver.usedOverride;
    },
    power: (action, signal) => send(`power ${action}`, signal, (commit) => driver.power(action, signal, commit)),
    clearLog: (signal) => send('clear log', signal, (commit) => driver.clearLog(signal, commit)),
    resetBmc: (signal) => send('reset bmc', signal, (commit) => driver.resetBmc(signal, commit)),
    state: (signal) => driver.state(signal),
    boot: (order, signal) => driver.boot(order, signal),
    identify: (on, signal) => driver.identify(on, signal),
  };
}

/** The Redfish service of a node, with the same rule for its commands. */
export function sendRedfishOnce(driver: RedfishDriver, node: string, running: RunningActivity): Redfish {
  const send = sender(driver.origin, node, running);
  return {
    origin: driver.origin,
    system: driver.system,
    ask: (request, signal) => driver.ask(request, signal),
    finish: (request, signal) => driver.finish(request, signal),
    progress: (monitor, signal) => driver.progress(monitor, signal),
    command: async (command, request, signal) => {
      let monitor: string | null = null;
      await send(command, signal, async (commit) => {
        monitor = await driver.command(request, signal, commit);
      });
      return monitor;
    },
  };
}

type Send = (command: ObmCommand, signal: AbortSignal, runEffects: (commit: Commit) => Promise<void>) => Promise<void>;

/** @param service for messages */
function sender(service: string, node: string, running: RunningActivity): Send {
  const { row, operation } = running;
  return async (command, signal, runEffects) => {
    const before = markOf(row, operation, node, command);
    if (before !== undefined && isDone(before, operation)) return;
    if (before !== undefined) throw sentBefore(service, command);
    const id = randomUUID();
    let isCommitted = false;
    try {
      await runEffects(async () => {
        await mark(running, { id, node, command }, service, signal);
        isCommitted = true;
      });
    } catch (error) {
      if (!isCommitted) throw error;
      if (fieldOf(error, 'sent') !== false) throw signal.aborted ? error : maybeSent(error as Error);
      await saveStep(running, { type: 'command.unsent', operation: operation.id, id });
      throw error;
    }
  };
}

/** @throws ObmError if another attempt was first */
async function mark(
  running: RunningActivity,
  given: { id: string; node: string; command: ObmCommand },
  service: string,
  signal: AbortSignal,
): Promise<void> {
  const { operation, by } = running;
  const message = { type: 'command.send', operation: operation.id, by, ...given } as const;
  const row = await saveStep(running, message, storeLimit(signal));
  const found = row && markOf(row, operation, given.node, given.command);
  if (found?.id === given.id) return;
  if (found !== undefined) throw sentBefore(service, given.command);
  throw new PermanentError('the task run continues elsewhere, or was cancelled; nothing was sent', 'TASK_INTERRUPTED');
}

/** @returns whether the waiting for the store is over. No timer: `AbortSignal.timeout`, combined, may never fire (Node 20). */
export function storeLimit(signal?: AbortSignal): () => boolean {
  const end = performance.now() + STORE_MS;
  return () => signal?.aborted === true || performance.now() >= end;
}

/** Retries while the store is unavailable, so that the outcome is known. Repeating the message is harmless. */
export async function saveStep(
  { send, row }: Pick<RunningActivity, 'send' | 'row'>,
  message: WorkflowMessage,
  isOver = storeLimit(),
): Promise<WorkflowRow | undefined> {
  for (;;) {
    try {
      return (await send.workflow(row.id, message))?.row;
    } catch (error) {
      if (!(error instanceof NodewrightError) || error.code !== 'UNAVAILABLE' || isOver()) throw error;
      await setTimeout(RESEND_DELAY_MS);
    }
  }
}

const sentBefore = (service: string, command: ObmCommand) =>
  new ObmError(
    'OBM_UNANSWERED',
    `this task run has already sent the command "${command}" to ${service} and does not send it again; query the state`,
    { sent: true },
  );

/** Returns the same error, marked as "the command may have been executed". */
function maybeSent(error: Error): Error {
  if (!(error instanceof ObmError)) return new ObmError('OBM_UNANSWERED', error.message, { sent: true });
  const { code, message, retry = true } = error;
  return new ObmError(code, message, { retry, sent: true });
}
