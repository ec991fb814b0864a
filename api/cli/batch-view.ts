/** Shows batches. */
import { EXIT } from './exit-codes.ts';
import { type OutputFormat, showAs, showRecord, type TableColumn } from './output.ts';
import { shownTime } from './shown-time.ts';
import { inform, printableText, say } from './terminal.ts';
import { countsOf } from './watch/follow-batch.ts';
import type { Batch } from './watch/watched-batch.ts';

export const batchColumns: TableColumn<Batch>[] = [
  { title: 'id', value: ({ id }) => id },
  { title: 'graph', value: ({ name }) => name },
  { title: 'status', value: ({ status }) => status },
  { title: 'workflows', value: countsOf },
  { title: 'created', value: ({ createdAt }) => shownTime(createdAt) },
  { title: 'by', value: ({ launchedBy }) => launchedBy },
  { title: 'at a time', value: ({ concurrency }) => concurrency, wide: true },
  { title: 'stops after failed', value: ({ maxFailures }) => maxFailures, wide: true },
  { title: 'ticket', value: ({ ticket }) => ticket, wide: true },
];

/** After its launches. A rejected node makes the command fail; the others are launched. */
export function showLaunched(batch: Batch, format: OutputFormat): void {
  showAs(format, batch, () => {
    say(batch.id);
    inform(printableText(`${batch.name}: ${countsOf(batch)}; nw batch watch ${batch.id} follows it`));
    informRejected(batch);
  });
  if (batch.rejected.length > 0) process.exitCode ??= EXIT.failed;
}

export function showBatch(batch: Batch, format: OutputFormat): void {
  const { id, name, status, launchedBy, concurrency, maxFailures, createdAt } = batch;
  showRecord(
    batch,
    [
      ['id', id],
      ['graph', name],
      ['status', status],
      ['workflows', countsOf(batch)],
      ['at a time', concurrency],
      ['stops after failed', maxFailures],
      ['by', launchedBy],
      ['created', shownTime(createdAt)],
    ],
    format,
  );
  if (format === 'table' || format === 'wide') informRejected(batch);
}

/** Lines of rejected nodes; there may be thousands. */
const SHOWN_REJECTIONS = 20;

function informRejected({ rejected }: Batch): void {
  for (const { node, message, code } of rejected.slice(0, SHOWN_REJECTIONS))
    inform(printableText(`${node} rejected: ${message} (${code})`));
  if (rejected.length > SHOWN_REJECTIONS) inform(`and ${rejected.length - SHOWN_REJECTIONS} more; -o json has all`);
}
