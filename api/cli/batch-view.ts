/** Shows a batch. */
import { EXIT } from './exit-codes.ts';
import { type OutputFormat, showAs, showRecord } from './output.ts';
import { shownTime } from './shown-time.ts';
import { inform, printableText, say } from './terminal.ts';
import { countsOf } from './watch/follow-batch.ts';
import type { Batch } from './watch/watched-batch.ts';

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
