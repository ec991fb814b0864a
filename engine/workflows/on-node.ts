/** Finds the active workflows on a node: the one that holds the node, and its children, which share it. */
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
