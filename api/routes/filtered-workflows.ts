/** The condition that a filter in a body makes, by the filters of the list of workflows. */
import { Type } from 'typebox';
import type { Engine } from '../../engine/api-port/index.ts';
import { filterOf, filterParameters, splitFilters } from '../../engine/api-port/list-filter.ts';
import { type Check, queryCheck } from '../../engine/api-port/query-check.ts';
import { wholePage } from '../http/list.ts';
import { activeQuery, withActive, withStuck, workflowFilters } from './workflows.ts';

const filterSchema = Type.Object(
  { ...filterParameters(workflowFilters), ...activeQuery.properties },
  { additionalProperties: false },
);
const checkFilter: Check<typeof filterSchema> = queryCheck(filterSchema);

/** @returns the condition for the store @throws NodewrightError INVALID */
export async function workflowsByFilter(
  engine: Engine,
  filter: Record<string, string | boolean>,
): Promise<Record<string, unknown>> {
  const query: Record<string, unknown> = splitFilters(filter, workflowFilters);
  checkFilter(query);
  const page = withActive(wholePage(filterOf(query, workflowFilters)), query.active as boolean | undefined);
  return (await withStuck(engine, page, query.stuck as boolean | undefined)).filter;
}
