/**
 * The parts of an archive about a problem, one after another. Records are those of the API, so without secrets; every text is
 * searched for secrets again. The number of parts and the size of each are bounded.
 */
import { readFileSync } from 'node:fs';
import type { Engine, NodeRecord, WorkflowRow } from '../../engine/api-port/index.ts';
import { mapPaced, pause, recentLog } from '../../engine/api-port/values.ts';
import { redactText } from '../../engine/vocabulary/conceal.ts';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { messageOf } from '../../engine/vocabulary/thrown-values.ts';
import { DAY_MS } from '../../engine/vocabulary/units.ts';
import { redactedInTurns } from '../views/common.ts';
import { findingsIn } from '../views/findings.ts';
import { nodeView } from '../views/node.ts';
import { historyView, workflowView } from '../views/workflow.ts';

export interface SupportSubject {
  workflow: WorkflowRow | undefined;
  node: NodeRecord | undefined;
}

export type SupportPart = [name: string, text: string];

const WORKFLOWS_SHOWN = 20;
const LINES_OF_HISTORY = 10_000;
const LINES_READ_TOGETHER = 1_000;
const EVENTS_SHOWN = 1_000;
/** Catalogs of a node; each may be megabytes. */
const CATALOGS_SHOWN = 20;

export async function* supportParts(engine: Engine, subject: SupportSubject): AsyncGenerator<SupportPart> {
  const { node } = subject;
  const parts: [name: string, read: () => Promise<unknown>][] = [
    ['versions.json', async () => versions()],
    ['configuration.json', async () => engine.settings.shownConfig()],
    ['summary.json', () => engine.diagnosis.summary()],
    ['findings.json', async () => findingsIn(await engine.diagnosis.summary())],
    ['bmcs.json', () => engine.bmcs.all()],
    ['metrics.txt', () => engine.metrics()],
    ['log.jsonl', async () => `${recentLog.lines().join('\n')}\n`],
    ['events.jsonl', () => eventLines(engine, subject)],
  ];
  if (node !== undefined) parts.push(...nodeParts(engine, node));
  for (const row of await workflowsOf(engine, subject)) parts.push(...workflowParts(engine, row));
  for (const [name, read] of parts) {
    yield [name, await partText(read)];
    await pause();
  }
}

/** A part that cannot be read does not hide the others. */
async function partText(read: () => Promise<unknown>): Promise<string> {
  const value = await read().catch((error) => ({ error: messageOf(error) }));
  const text = typeof value === 'string' ? value : `${JSON.stringify(await redactedInTurns(value), null, 2)}\n`;
  // By line: a text with many secrets would be hidden as a whole.
  return (await mapPaced(text.split('\n'), redactText)).join('\n');
}

const versions = () => ({
  nodewright: (JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { version: string }).version,
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  versions: process.versions,
  uptimeSec: Math.round(process.uptime()),
  memory: process.memoryUsage(),
  createdAt: new Date().toISOString(),
});

const nodeParts = (engine: Engine, node: NodeRecord): [string, () => Promise<unknown>][] => [
  [`nodes/${node.id}/record.json`, async () => nodeView(node)],
  [`nodes/${node.id}/why.json`, () => engine.diagnosis.whyNode(node.id)],
  [`nodes/${node.id}/holds.json`, async () => (await engine.holds.list(firstOf({ node: node.id }))).items],
  [
    `nodes/${node.id}/catalogs.json`,
    async () => (await engine.catalogs.latestOfSources({ ...firstOf({ node: node.id }), limit: CATALOGS_SHOWN })).items,
  ],
];

const workflowParts = (engine: Engine, row: WorkflowRow): [string, () => Promise<unknown>][] => [
  [`workflows/${row.id}/record.json`, async () => workflowView(row, undefined)],
  [`workflows/${row.id}/history.jsonl`, () => historyLines(engine, row.id)],
  [`workflows/${row.id}/why.json`, () => engine.diagnosis.whyWorkflow(row.id)],
];

const firstOf = (filter: Record<string, unknown>) => ({ skip: 0, limit: WORKFLOWS_SHOWN, filter });

/** The workflow and those below it; the newest of the node; or the newest that failed, and those that are stuck. */
async function workflowsOf(engine: Engine, { workflow, node }: SupportSubject): Promise<WorkflowRow[]> {
  const newestOf = async (filter: Record<string, unknown>) =>
    (await engine.workflows.list({ ...firstOf(filter), sort: { createdAt: -1 } })).items;
  if (workflow !== undefined) return [workflow, ...(await newestOf({ root: workflow.root ?? workflow.id }))];
  if (node !== undefined) return newestOf({ node: node.id });
  const stuck = (await engine.diagnosis.stuckWorkflows()).slice(0, WORKFLOWS_SHOWN);
  return [...(await newestOf({ id: { $in: stuck } })), ...(await newestOf({ status: 'failed' }))];
}

const linesText = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

async function historyLines(engine: Engine, id: string): Promise<string> {
  let text = '';
  for (let skip = 0; skip < LINES_OF_HISTORY; skip += LINES_READ_TOGETHER) {
    const { items } = await engine.workflows.history(id, { skip, limit: LINES_READ_TOGETHER, filter: {} });
    text += linesText((await redactedInTurns(items)).map((entry) => historyView(entry)));
    if (items.length < LINES_READ_TOGETHER) break;
  }
  return text;
}

/** Events of the workflow since its launch, or of the node or all in the last day. */
async function eventLines(engine: Engine, { workflow, node }: SupportSubject): Promise<string> {
  const since = workflow?.createdAt ?? new Date(Date.now() - DAY_MS).toISOString();
  const ofNode = node === undefined ? {} : { nodeId: node.id };
  const filter = workflow === undefined ? ofNode : { typeId: workflow.id };
  const { items } = await engine.events.list({ since, limit: EVENTS_SHOWN, filter });
  return linesText(await redactedInTurns(items));
}
