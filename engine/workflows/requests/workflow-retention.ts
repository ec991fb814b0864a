/**
 * Removes workflows that ended before a time, oldest first, a page at a time. A child stays as long as its parent is active,
 * which may still read its result.
 */

import type { WorkflowRow } from '../../durable/step/row.ts';
import { groups } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { isActive, workflowStatuses } from '../../vocabulary/states.ts';

interface RetentionScope {
  stored: Pick<Collection<WorkflowRow>, 'find' | 'get'>;
  remove(id: string): Promise<boolean>;
  failed(error: unknown): void;
}

const WORKFLOWS_PER_PAGE = 200;
const REMOVALS = 20;
const ended = { $in: workflowStatuses.filter((status) => !isActive(status)) };

export async function removeWorkflowsBefore(
  port: RetentionScope,
  before: string,
  goesOn: () => Promise<boolean>,
): Promise<void> {
  for await (const group of groups(endedBefore(port, before), REMOVALS)) {
    if (!(await goesOn())) return;
    await Promise.all(group.map((row) => removeOne(port, row)));
  }
}

/** By the time of their ends, so that a store uses its index. Of equal times some may be left to the next pass. */
async function* endedBefore({ stored }: RetentionScope, before: string): AsyncGenerator<WorkflowRow> {
  for (let after = ''; ; ) {
    const filter = { finishedAt: { $gt: after, $lt: before }, status: ended };
    const page = await stored.find(filter, { sort: { finishedAt: 1 }, limit: WORKFLOWS_PER_PAGE });
    yield* page;
    const last = page.at(-1)?.finishedAt ?? null;
    if (last === null || page.length < WORKFLOWS_PER_PAGE) return;
    after = last;
  }
}

async function removeOne({ stored, remove, failed }: RetentionScope, { id, parent }: WorkflowRow): Promise<void> {
  const above = parent === null ? undefined : await stored.get(parent.workflow);
  if (above !== undefined && isActive(above.status)) return;
  try {
    await remove(id);
  } catch (error) {
    if (!(error instanceof NodewrightError)) throw error;
    // Its effects cannot run yet, or a store is away: the next pass tries again.
    failed(error);
  }
}
