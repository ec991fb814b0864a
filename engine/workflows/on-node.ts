/** Finds the active workflows on a node: the one that holds the node, and its children, which share it. */
import type { NodeHolder } from '../api-port/index.ts';
import { taskRunKey } from '../step/builder.ts';
import type { WorkflowRow } from '../step/row.ts';
import type { Collection } from '../store/port.ts';

const active = { $in: ['pending', 'running'] };
const WORKFLOWS = 100;

/**
 * A node's record names at most this many workflows, and a list of nodes this many in total; /workflows has the rest.
 */
const IDS_OF_NODE = 100;
const IDS_OF_ALL = 5_000;
const PAGE = 1_000;

/** Returns the active workflows of a node, the holder first. */
export const activeOn = (
  stored: Pick<Collection<WorkflowRow>, 'find'>,
  node: string,
  limit = WORKFLOWS,
): Promise<WorkflowRow[]> => stored.find({ node, status: active }, { sort: { createdAt: 1 }, limit });

/**
 * Returns the options of the tasks that wait for the node or its agent, for the templates that the node fetches
 * meanwhile; those of later tasks count.
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

/** Returns the workflow that holds each node, by node id. */
export async function holdersOf(
  stored: Pick<Collection<WorkflowRow>, 'find'>,
  nodes: readonly string[],
): Promise<Map<string, NodeHolder>> {
  const holders = new Map<string, NodeHolder>();
  const sort = { createdAt: 1 } as const;
  for (let skip = 0; ; skip += PAGE) {
    const page = await stored.find({ node: { $in: [...nodes] }, status: active }, { sort, skip, limit: PAGE });
    // The oldest: the others are its children.
    for (const row of page) if (row.node !== null && !holders.has(row.node)) holders.set(row.node, holderIn(row));
    if (page.length < PAGE) return holders;
  }
}

const holderIn = ({ id, name, tasks, createdAt }: WorkflowRow): NodeHolder => ({
  id,
  name,
  label: tasks.find(({ state }) => state === 'running' || state === 'waiting')?.label ?? null,
  since: createdAt,
});

/** Returns the ids of each node's newest workflows, by node id, newest first. */
export async function idsOn(
  stored: Pick<Collection<WorkflowRow>, 'pick'>,
  nodes: readonly string[],
): Promise<Map<string, string[]>> {
  const ids = new Map<string, string[]>();
  const sort = { createdAt: -1 } as const;
  for (let skip = 0; skip < IDS_OF_ALL; skip += PAGE) {
    const page = await stored.pick(['node'], { node: { $in: [...nodes] } }, { sort, skip, limit: PAGE });
    for (const { id, node } of page) {
      const own = ids.get(node ?? '') ?? [];
      if (own.length < IDS_OF_NODE) ids.set(node ?? '', [...own, id]);
    }
    if (page.length < PAGE) break;
  }
  return ids;
}
