/** Reports on nodes whose catalogs match another SKU than before, or none any more. */
import { byIds } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import type { HealthRequests } from '../health/health-requests.ts';
import type { ReportChange } from '../health/report-changes.ts';
import { dayAfter } from '../health/report-times.ts';
import type { ClassifiedNode } from './skus-port.ts';
import type { StoredSku } from './stored-sku.ts';

/**
 * A node without a SKU stays reported until it has one; a change from one to another for a day. A node whose SKU was deleted did not
 * drift.
 * @param nodes classified just now
 */
export const skuDrift =
  (skus: Pick<Collection<StoredSku>, 'find'>, { report }: Pick<HealthRequests, 'report'>) =>
  async (nodes: readonly ClassifiedNode[]): Promise<void> => {
    const moved = nodes.filter(({ skuMove }) => skuMove !== undefined);
    const ids = new Set(moved.flatMap(({ sku, skuMove }) => [sku ?? [], skuMove?.from ?? []].flat()));
    const names = new Map((await byIds(skus, [...ids])).map(({ id, name }) => [id, name]));
    await Promise.all(moved.map((node) => report({ node: node.id, changes: [driftOf(node, names)] })));
  };

function driftOf({ sku, skuMove }: ClassifiedNode, names: ReadonlyMap<string, string>): ReportChange {
  const [before, after] = [names.get(skuMove?.from ?? ''), sku === null ? undefined : (names.get(sku) ?? sku)];
  const about = { source: 'sku', key: '' };
  if (before === undefined || skuMove === undefined) return { ...about, report: null };
  const message =
    after === undefined
      ? `its catalogs match no SKU any more; it was ${before}`
      : `its catalogs match ${after}; it was ${before}`;
  const until = after === undefined ? null : dayAfter(Date.parse(skuMove.at));
  return { ...about, report: { state: 'warning', message, until } };
}
