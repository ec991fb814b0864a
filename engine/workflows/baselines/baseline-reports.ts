/**
 * Reports the nodes that differ from a baseline of their SKU, as the source `baseline` of their health; the key is the baseline.
 * It is called when nodes are classified, which all are after a change of a baseline, and before that is noted: a crash repeats it.
 */
import type { DriftRecord } from '../../api-port/baselines.ts';
import type { HealthRequests } from '../../inventory/health/health-requests.ts';
import type { ReportChange } from '../../inventory/health/report-changes.ts';
import { type ExaminedNode, healthOf } from '../../inventory/health/stored-health.ts';
import type { StoredNode } from '../../inventory/nodes/stored-node.ts';
import { byIds } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { differenceName } from '../../vocabulary/baseline-texts.ts';
import type { BaselineDrift } from './baseline-drift.ts';
import { BASELINES, baselineRecordOf, type StoredBaseline } from './stored-baseline.ts';

interface ReportsScope {
  stored: Pick<Collection<StoredBaseline>, 'find'>;
  nodes: Pick<Collection<StoredNode>, 'find'>;
  drift: Pick<BaselineDrift, 'of'>;
  health: Pick<HealthRequests, 'report'>;
}

const SOURCE = 'baseline';
/** Differences in one message; the drift of the baseline has all. */
const NAMED = 3;

export const baselineReports =
  ({ stored, nodes, drift, health }: ReportsScope) =>
  async (ids: readonly string[]): Promise<void> => {
    const classified = await byIds(nodes, ids);
    const skus = [...new Set(classified.flatMap(({ sku }) => sku ?? []))];
    const baselines = skus.length === 0 ? [] : await stored.find({ sku: { $in: skus } }, { limit: BASELINES });
    const changes = new Map(classified.map((node) => [node.id, endsOf(node)]));
    for (const baseline of baselines) {
      const { id, name, sku } = baseline;
      const records = await drift.of(
        baselineRecordOf(baseline),
        classified.filter((node) => node.sku === sku),
      );
      for (const { node, state, differences } of records)
        if (state === 'differs')
          changes.get(node)?.set(id, { state: 'warning', message: messageOf(name, differences), until: null });
    }
    const reports = [...changes].filter(([, each]) => each.size > 0);
    await Promise.all(
      reports.map(([node, each]) =>
        health.report({ node, changes: [...each].map(([key, report]) => ({ source: SOURCE, key, report })) }),
      ),
    );
  };

/** The reports that the node has: each ends unless it is made again. */
const endsOf = (node: ExaminedNode): Map<string, ReportChange['report']> =>
  new Map(healthOf(node).reports.flatMap(({ source, key }) => (source === SOURCE ? [[key, null] as const] : [])));

function messageOf(baseline: string, differences: DriftRecord['differences']): string {
  const named = differences
    .slice(0, NAMED)
    .map((one) => `${differenceName(one)} is ${one.found ?? 'missing'}, expected ${one.expected}`);
  const more = differences.length > NAMED ? `; ${differences.length - NAMED} more` : '';
  return `it differs from the baseline ${baseline}: ${named.join('; ')}${more}`;
}
