/** Follows a batch to its end: on a terminal in place, in a pipe by one line for each change of a workflow. */
import { informRejected } from '../batch-view.ts';
import type { Client } from '../client.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { isTable, type OutputFormat, showAs } from '../output.ts';
import { colors, inform, isTerminal, jsonText, printableText, say } from '../terminal.ts';
import { progressBar } from './watch-lines.ts';
import { type WatchOptions, withInterrupt } from './watch-to-end.ts';
import {
  type Batch,
  type BatchMember,
  type BatchState,
  countIn,
  countsOf,
  failedFirst,
  hasEnded,
  watchBatch,
} from './watched-batch.ts';

export async function followBatch(client: Client, id: string, { format, timeoutMs }: WatchOptions): Promise<void> {
  const isLive = isTerminal && isTable(format);
  const { result, isInterrupted } = await withInterrupt(timeoutMs, (signal) =>
    isLive ? followLive(client, id, signal) : followPiped(client, id, format, signal),
  );
  await informRejected(client, result.batch);
  if (hasEnded(result.batch)) {
    process.exitCode = exitCodeOfBatch(result.batch);
    return;
  }
  inform(`The batch continues; nw batch watch ${id} shows it again`);
  process.exitCode = isInterrupted ? EXIT.interrupted : EXIT.timeout;
}

function exitCodeOfBatch(batch: Batch): ExitCode {
  if (countIn(batch, 'failed') > 0 || batch.rejected.length > 0) return EXIT.failed;
  return countIn(batch, 'cancelled') > 0 ? EXIT.cancelled : EXIT.succeeded;
}

async function followLive(client: Client, id: string, signal: AbortSignal): Promise<BatchState> {
  const { showLive } = await import('./live-lines.ts');
  let state: BatchState | undefined;
  await showLive(
    () => ({ title: titleOf(id, state), lines: memberLines(state) }),
    async (changed) => {
      state = await watchBatch(client, id, signal, (next) => {
        state = next;
        changed();
      });
      if (!hasEnded(state.batch)) return 'continues';
      return exitCodeOfBatch(state.batch) === EXIT.succeeded ? 'succeeded' : 'failed';
    },
  );
  if (state === undefined) throw new Error('the watch has no state');
  return state;
}

function titleOf(id: string, state: BatchState | undefined): string {
  if (state === undefined) return id;
  const { batch, away } = state;
  const notice = away === null ? '' : colors.yellow(`  no connection, tries again: ${printableText(away)}`);
  return `${printableText(batch.name)}, batch ${id}: ${countsOf(batch)}${notice}`;
}

function memberLines(state: BatchState | undefined): string[] {
  const members = [...(state?.members.values() ?? [])];
  return failedFirst(members).map((member) => memberLine(member, state?.names.get(member.node)));
}

function memberLine({ id, node, status, progress, error }: BatchMember, name = node ?? id): string {
  const share = progress.maximum === 0 ? 0 : progress.value / progress.maximum;
  const rest = error === null ? progressBar(share) : printableText(`${error.message} (${error.code})`);
  return `${printableText(name)}  ${status.padEnd(9)}  ${rest}`;
}

async function followPiped(client: Client, id: string, format: OutputFormat, signal: AbortSignal): Promise<BatchState> {
  let before: BatchState['members'] = new Map();
  const last = await watchBatch(client, id, signal, ({ members, away, names }) => {
    if (away !== null) inform(`no connection, tries again: ${printableText(away)}`);
    const changed = [...members.values()].filter((member) => before.get(member.id)?.status !== member.status);
    if (format === 'jsonl') for (const member of changed) say(jsonText(member));
    else if (format !== 'json')
      for (const member of changed) say(`${member.updatedAt}  ${memberLine(member, names.get(member.node))}`);
    before = members;
  });
  if (format === 'json') showAs(format, last.batch, () => {});
  return last;
}
