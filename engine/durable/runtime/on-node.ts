/** Finds the active workflows on a node: the one that holds the node, and its children, which share it. */
import { groupBy } from '../../platform/lib/group-by.ts';
import { byIds, picking, readerBy } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { launchedBy } from '../../vocabulary/cause.ts';
import { isActive } from '../../vocabulary/states.ts';
import { taskRunKey } from '../step/builder.ts';
import type { NodeRow } from '../step/node.ts';
import type { WorkflowRow } from '../step/row.ts';

const active = { $in: ['pending', 'running'] };
const DEFAULT_LIMIT = 100;

/**
 * A node's record names at most this many workflows, and a list of nodes this many in total, as many of each node;
 * /workflows has the rest.
 */
const IDS_OF_NODE = 100;
const IDS_OF_ALL = 5_000;

/** Returns the active workflows of a node, the holder first. */
export const activeOn = (
  stored: Pick<Collection<WorkflowRow>, 'find'>,
  node: string,
  limit = DEFAULT_LIMIT,
): Promise<WorkflowRow[]> => stored.find({ node, status: active }, { sort: { createdAt: 1 }, limit });

/** @returns `activeOn` for many concurrent requests */
export const activeReader = (stored: Pick<Collection<WorkflowRow>, 'find'>) =>
  readerBy(stored, 'node', { status: active }, { sort: { createdAt: 1 }, limit: DEFAULT_LIMIT });

/**
 * Returns the options of the tasks that wait for the node or its agent, for the templates that the node fetches
 * in the meantime; those of later tasks count.
 */
export function templateVariables(rows: readonly WorkflowRow[]): Record<string, unknown> {
  const waiting = rows.flatMap(({ operations, actors }) =>
    Object.values(operations).flatMap((operation) => (fetching.has(operation.kind) ? [{ operation, actors }] : [])),
  );
  const options = waiting.map(({ operation, actors }) => actors[taskRunKey(operation.taskRun)]?.options);
  const boots = waiting.map(({ operation }) => (operation.kind === 'release' ? operation.input.boot?.variables : {}));
  const booted = rows.map((row) => row.booted?.variables);
  return Object.assign({}, ...booted, ...options, ...boots);
}

const fetching: ReadonlySet<string> = new Set(['release', 'command', 'notification']);

/** The holder of a node, for those who ask why it is busy. */
export const holderOf = (row: WorkflowRow) => ({
  workflow: row.id,
  graphName: row.graphName,
  launchedBy: launchedBy(row),
  since: row.createdAt,
});

/** The active workflow that holds a node. */
export interface NodeHolder {
  id: string;
  name: string;
  /** The task that runs or waits; null: none does. */
  label: string | null;
  /** ISO 8601. */
  since: string;
}

/** Returns the active workflow that holds each node, by node id. */
export async function holdersOf(
  actors: Pick<Collection<NodeRow>, 'pick'>,
  stored: Pick<Collection<WorkflowRow>, 'find'>,
  nodes: readonly string[],
): Promise<Map<string, NodeHolder>> {
  const held = (await byIds(picking(actors, ['workflow']), nodes)).flatMap(({ workflow }) => workflow ?? []);
  const rows = (await byIds(stored, held)).filter(({ status }) => isActive(status));
  return new Map(rows.map((row) => [row.node ?? '', holderIn(row)]));
}

const holderIn = ({ id, name, tasks, createdAt }: WorkflowRow): NodeHolder => ({
  id,
  name,
  label: tasks.find(({ state }) => state === 'running' || state === 'waiting')?.label ?? null,
  since: createdAt,
});

/** Returns the ids of each node's newest workflows, by node id, newest first. */
export async function idsOn(
  stored: Pick<Collection<WorkflowRow>, 'lastOf'>,
  nodes: readonly string[],
): Promise<Map<string, string[]>> {
  const limit = Math.max(1, Math.min(IDS_OF_NODE, Math.floor(IDS_OF_ALL / nodes.length)));
  const found = await stored.lastOf(['node'], 'node', nodes, limit);
  return new Map(groupBy(found, ({ node }) => node ?? '').map(([node, own]) => [node, own.map(({ id }) => id)]));
}
