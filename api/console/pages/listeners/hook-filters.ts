/** Filters of hooks: expressions by field, of which all must match; of several filters one must. */
import { eventsOf } from './hook-topics.ts';
import type { ShownHookFilter } from './shown-hook.ts';

/** The fields, with their titles and examples. */
export const filterFields = {
  type: { title: 'Type', example: 'graph|node' },
  action: { title: 'Action', example: 'finished' },
  status: { title: 'Status', example: 'failed' },
  severity: { title: 'Severity', example: 'critical|warning' },
  graphName: { title: 'Graph', example: '^Graph\\.Drive' },
  nodeId: { title: 'Id of the node', example: '' },
  typeId: { title: 'Id of the record', example: '' },
} as const satisfies Record<keyof ShownHookFilter, object>;

export type FilterField = keyof typeof filterFields;

export const filterNames = Object.keys(filterFields) as FilterField[];

/** As one line: the topics, then the expressions: `Rollouts or type graph, status failed`. */
export function filterText(filters: readonly ShownHookFilter[]): string {
  if (filters.length === 0) return 'all';
  const { topics, others } = eventsOf(filters);
  const expressions = others.map((filter) => {
    const parts = filterNames.flatMap((name) => (filter[name] === undefined ? [] : [`${name} ${filter[name]}`]));
    return parts.length === 0 ? 'all' : parts.join(', ');
  });
  return [...topics.map(({ title }) => title), ...expressions].join(' or ');
}

/** Without empty expressions, and without filters that have none. */
export const filledFilters = (filters: readonly ShownHookFilter[]): ShownHookFilter[] =>
  filters
    .map((filter) =>
      Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined && value !== '')),
    )
    .filter((filter) => Object.keys(filter).length > 0);
