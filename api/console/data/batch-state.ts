/** The state of a batch, and the rows of its page: the failed ones first. Pure. */
import type { GetAnswer } from '../../client/requests.ts';

export type ShownBatch = GetAnswer<'/batches/:id'>;
export type BatchWorkflow = GetAnswer<'/workflows'>[number];

export interface BatchRow {
  node: string | null;
  /** undefined: it waits for its turn. */
  workflow?: BatchWorkflow;
  /** The newest that repeats it. */
  retry?: BatchWorkflow;
}

export const batchCount = ({ counts }: Pick<ShownBatch, 'counts'>, ...statuses: string[]): number =>
  statuses.reduce((total, status) => total + ((counts as Record<string, number>)[status] ?? 0), 0);

/** One that is finished says how. */
export const batchState = (batch: Pick<ShownBatch, 'status' | 'counts'>): string =>
  batch.status !== 'finished'
    ? batch.status
    : batchCount(batch, 'failed') > 0
      ? 'completed_with_failures'
      : 'succeeded';

const order = ['failed', 'cancelled', 'running', 'pending', 'succeeded'];

/** @param workflows of its graph since it began: its own, and retries of these @param waiting nodes */
export function batchRows(id: string, waiting: readonly string[], workflows: readonly BatchWorkflow[]): BatchRow[] {
  const byOriginal = new Map(workflows.flatMap((one) => (one.retryOf === null ? [] : [[one.retryOf, one] as const])));
  const lastRetry = (of: string): BatchWorkflow | undefined => {
    const next = byOriginal.get(of);
    return next && (lastRetry(next.id) ?? next);
  };
  const rows = workflows
    .filter(({ batch }) => batch === id)
    .map((workflow): BatchRow => {
      const retry = lastRetry(workflow.id);
      return { node: workflow.node, workflow, ...(retry && { retry }) };
    });
  const place = ({ workflow, retry }: BatchRow) => order.indexOf((retry ?? workflow)?.status ?? 'pending');
  return [...rows, ...waiting.map((node): BatchRow => ({ node }))].sort((one, other) => place(one) - place(other));
}
