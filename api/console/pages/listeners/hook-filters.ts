/** Filters of hooks: expressions by field, of which all must match; of several filters one must. */
import type { GetAnswer } from '../../../client/requests.ts';

export type ShownHook = GetAnswer<'/hooks'>[number];
export type ShownHookFilter = ShownHook['filters'][number];

/** The fields, with examples. */
export const filterFields = {
  type: 'graph|node',
  action: 'finished',
  status: 'failed',
  severity: 'critical|warning',
  graphName: '^Graph\\.Drive',
  nodeId: '',
  typeId: '',
} as const satisfies Record<keyof ShownHookFilter, string>;

export type FilterField = keyof typeof filterFields;

export const filterNames = Object.keys(filterFields) as FilterField[];

/** As one line: `type graph, status failed or type node`. */
export function filterText(filters: readonly ShownHookFilter[]): string {
  if (filters.length === 0) return 'all';
  return filters
    .map((filter) => {
      const parts = filterNames.flatMap((name) => (filter[name] === undefined ? [] : [`${name} ${filter[name]}`]));
      return parts.length === 0 ? 'all' : parts.join(', ');
    })
    .join(' or ');
}

/** Without empty expressions, and without filters that have none. */
export const filledFilters = (filters: readonly ShownHookFilter[]): ShownHookFilter[] =>
  filters
    .map((filter) =>
      Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined && value !== '')),
    )
    .filter((filter) => Object.keys(filter).length > 0);
