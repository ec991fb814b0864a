/** Shows batches. */
import { preciseDuration } from '../client/usual-time.ts';
import type { Client } from './client.ts';
import { EXIT } from './exit-codes.ts';
import { type NodeText, nodeNames, nodeTexts } from './node-names.ts';
import { isTable, type OutputFormat, showAs, showRecord, type TableColumn, tableText } from './output.ts';
import { shownTime } from './shown-time.ts';
import { inform, printableText, say } from './terminal.ts';
import { type Batch, countsOf, failedFirst } from './watch/watched-batch.ts';
import { wholeList } from './whole-list.ts';
import { lastErrorText, paintStatus, shownLabel } from './workflow-cells.ts';
import type { Workflow } from './workflow-of.ts';

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
export async function showLaunched(client: Client, batch: Batch, format: OutputFormat): Promise<void> {
  showAs(format, batch, () => {
    say(batch.id);
    inform(printableText(`${batch.name}: ${countsOf(batch)}; nw batch watch ${batch.id} follows it`));
  });
  if (isTable(format)) await informRejected(client, batch);
  if (batch.rejected.length > 0) process.exitCode ??= EXIT.failed;
}

const memberColumns = (nameOf: NodeText, format: OutputFormat): TableColumn<Workflow>[] => [
  { title: 'workflow', value: ({ id }) => id },
  { title: 'node', value: ({ node }) => nameOf(node) },
  { title: 'status', value: ({ status }) => status, paint: paintStatus },
  { title: 'label', value: shownLabel },
  { title: 'took', value: (workflow) => preciseDuration(elapsedMs(workflow)) },
  { title: 'last error', value: (workflow) => lastErrorText(workflow, format) },
];

const elapsedMs = ({ createdAt, finishedAt }: Workflow): number =>
  (finishedAt === null ? Date.now() : Date.parse(finishedAt)) - Date.parse(createdAt);

/** Shows a batch, and as a table its workflows, failed ones first. */
export async function showBatch(client: Client, batch: Batch, format: OutputFormat): Promise<void> {
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
  if (!isTable(format)) return;
  const { body } = await wholeList((query) => client.get('/workflows', { query }), { batch: id, root: 'null' });
  const nameOf = await nodeTexts(
    client,
    body.map(({ node }) => node),
    format,
  );
  if (body.length > 0) say(tableText(failedFirst(body), memberColumns(nameOf, format), format === 'wide'));
  await informRejected(client, batch);
}

/** Lines of rejected nodes; there may be thousands. */
const SHOWN_REJECTIONS = 20;

export async function informRejected(client: Client, { rejected }: Batch): Promise<void> {
  const firstOnes = rejected.slice(0, SHOWN_REJECTIONS);
  const names = await nodeNames(
    client,
    firstOnes.map(({ node }) => node),
  );
  for (const { node, message, code } of firstOnes)
    inform(printableText(`${names.get(node) ?? node} rejected: ${message} (${code})`));
  if (rejected.length > SHOWN_REJECTIONS) inform(`and ${rejected.length - SHOWN_REJECTIONS} more; -o json has all`);
}
