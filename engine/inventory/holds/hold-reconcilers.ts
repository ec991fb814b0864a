/**
 * The periodic work for holds: those that ended are removed, with their events, and the actors of nodes with holds have a mark
 * (`hold-requests.ts`), also if the process that added one died, or Redis lost the row of the actor.
 */
import { contextOf, type NodeRow } from '../../durable/step/node.ts';
import type { Cluster } from '../../platform/cluster/cluster.ts';
import { byIds, groups, pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import type { HoldRequests, HoldScope } from './hold-requests.ts';

const ENDED_INTERVAL_MS = 1_000;
const MARKS_INTERVAL_MS = 30_000;
const HOLDS_PER_GROUP = 200;

interface MarkedActors extends Pick<HoldScope, 'stored' | 'mark'> {
  actors: Pick<Collection<NodeRow>, 'find'>;
}

/** Marks the actors of held nodes that have no mark. */
export async function markHeldNodes({ stored, actors, mark }: MarkedActors, goesOn: () => Promise<boolean>) {
  for await (const group of groups(pages(stored, {}), HOLDS_PER_GROUP)) {
    if (!(await goesOn())) return;
    const marks = new Map(group.map(({ id, node }) => [node, id]));
    for (const row of await byIds(actors, [...marks.keys()]))
      if ((contextOf(row).holdMark ?? null) !== null) marks.delete(row.id);
    for (const [node, id] of marks) await mark(node, id);
  }
}

export function holdReconcilers(
  port: MarkedActors & { cluster: Pick<Cluster, 'reconciler'>; failed(error: unknown): void },
  holds: Pick<HoldRequests, 'removeEnded'>,
) {
  const { cluster, failed } = port;
  return [
    cluster.reconciler({
      name: 'holds',
      everyMs: ENDED_INTERVAL_MS,
      pass: ({ goesOn }) => holds.removeEnded(goesOn),
      failed,
    }),
    cluster.reconciler({
      name: 'hold marks',
      everyMs: MARKS_INTERVAL_MS,
      pass: ({ goesOn }) => markHeldNodes(port, goesOn),
      failed,
    }),
  ];
}
