/**
 * Follows a workflow to its end, which determines the exit code. On a terminal it is shown in place, in a pipe by one line
 * for each change. Ctrl-C and a timeout end the command only: the workflow continues.
 */
import { isActive } from '../../../engine/vocabulary/states.ts';
import type { Client } from '../client.ts';
import { EXIT, exitCodeOfEnd } from '../exit-codes.ts';
import { isTable, type OutputFormat, showAs } from '../output.ts';
import { inform, isTerminal, jsonText, printableText, say } from '../terminal.ts';
import { changeLine, changesOf } from './watch-changes.ts';
import { taskLines, titleOf } from './watch-lines.ts';
import { type WatchState, watchWorkflow } from './watched-workflow.ts';

export interface WatchOptions {
  format: OutputFormat;
  /** Absent: until the end. */
  timeoutMs?: number;
}

export async function watchToEnd(client: Client, id: string, { format, timeoutMs }: WatchOptions): Promise<void> {
  const isLive = isTerminal && isTable(format);
  const ended = await withInterrupt(timeoutMs, (signal) =>
    isLive ? watchLive(client, id, signal) : watchPiped(client, id, format, signal),
  );
  const { workflow } = ended.result;
  if (!isActive(workflow.status)) return conclude(workflow, isLive);
  inform(`The workflow continues; nw watch ${id} shows it again`);
  process.exitCode = ended.isInterrupted ? EXIT.interrupted : EXIT.timeout;
}

function conclude({ id, status, error }: WatchState['workflow'], isLive: boolean): void {
  process.exitCode = exitCodeOfEnd(status, error?.code);
  if (status !== 'failed' || error === null) return;
  if (isLive) inform(printableText(`${error.message} (${error.code})`));
  inform(`nw history ${id} shows how it came to that; nw retry ${id} runs it again from there`);
}

interface InterruptibleWork<R> {
  result: R;
  isInterrupted: boolean;
}

/** Runs work with a signal that Ctrl-C, or the time, aborts. A second Ctrl-C ends the process. */
export async function withInterrupt<R>(
  timeoutMs: number | undefined,
  work: (signal: AbortSignal) => Promise<R>,
): Promise<InterruptibleWork<R>> {
  const stop = new AbortController();
  let isInterrupted = false;
  // Not `once`: a package that restores the cursor ends the process when it finds no other listener.
  const interrupt = () => {
    if (isInterrupted) process.exit(EXIT.interrupted);
    isInterrupted = true;
    stop.abort();
  };
  process.on('SIGINT', interrupt);
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop.abort(), timeoutMs);
  try {
    return { result: await work(stop.signal), isInterrupted };
  } finally {
    clearTimeout(timer);
    process.off('SIGINT', interrupt);
  }
}

async function watchLive(client: Client, id: string, signal: AbortSignal): Promise<WatchState> {
  const { showLive, icons } = await import('./live-lines.ts');
  let state: WatchState | undefined;
  const view = () =>
    state === undefined
      ? { title: id, lines: [] }
      : { title: titleOf(state, Date.now()), lines: taskLines(state, icons, Date.now()) };
  let last: WatchState | undefined;
  await showLive(view, async (changed) => {
    const show = (next: WatchState) => {
      state = next;
      changed();
    };
    last = await watchWorkflow(client, id, { signal, explains: true, show });
    const { status } = last.workflow;
    return isActive(status) ? 'continues' : status === 'succeeded' ? 'succeeded' : 'failed';
  });
  if (last === undefined) throw new Error('the watch has no state');
  return last;
}

async function watchPiped(client: Client, id: string, format: OutputFormat, signal: AbortSignal): Promise<WatchState> {
  let before: WatchState | undefined;
  const show = (state: WatchState) => {
    tellAway(before, state);
    if (format !== 'json')
      for (const change of changesOf(before, state)) say(format === 'jsonl' ? jsonText(change) : changeLine(change));
    before = state;
  };
  const last = await watchWorkflow(client, id, { signal, explains: false, show });
  if (format === 'json') showAs(format, last.workflow, () => {});
  return last;
}

function tellAway(before: WatchState | undefined, { away }: WatchState): void {
  if (away !== null && !before?.away) inform(`no connection, tries again: ${printableText(away)}`);
  if (away === null && before?.away) inform('connected again');
}
