/** The values of a node in NetBox: custom fields of its device. */
import type { JsonObject } from '../../../engine/vocabulary/json.ts';
import type { GetAnswer } from '../../client/requests.ts';
import { workflowPage } from '../workflow-page.ts';
import type { SiteNode } from './site-nodes.ts';

export type LastWorkflow = Pick<
  GetAnswer<'/workflows'>[number],
  'id' | 'node' | 'injectableName' | 'status' | 'root' | 'error' | 'createdAt' | 'startedAt' | 'finishedAt'
>;

export const LAST_WORKFLOW_FIELDS = 'id,node,injectableName,status,root,error,createdAt,startedAt,finishedAt';

/** The custom fields, by the ends of their names. */
export const pushedFields = [
  { name: 'state', type: 'text', label: 'State', description: 'free, busy: a workflow holds it, or held' },
  { name: 'health', type: 'text', label: 'Health', description: 'ok, warning, critical or unknown' },
  { name: 'workflow', type: 'text', label: 'Last workflow', description: 'Name of its graph' },
  { name: 'workflow_status', type: 'text', label: 'Status', description: 'Status of the last workflow' },
  { name: 'workflow_at', type: 'datetime', label: 'Time', description: 'End of the last workflow, else its start' },
  { name: 'workflow_url', type: 'url', label: 'Page', description: 'Page of the last workflow' },
] as const;

type FieldName = (typeof pushedFields)[number]['name'];

export type CustomFields = Readonly<Record<string, string | null>>;

export const DEFAULT_PREFIX = 'nodewright_';

/** @param origin of the console */
export function pushValues(
  { active, held, health }: Pick<SiteNode, 'active' | 'held' | 'health'>,
  workflow: LastWorkflow | undefined,
  { prefix, origin }: { prefix: string; origin: string },
): CustomFields {
  const values: Record<FieldName, string | null> = {
    state: active !== null ? 'busy' : held.length > 0 ? 'held' : 'free',
    health,
    workflow: workflow?.injectableName ?? null,
    workflow_status: workflow?.status ?? null,
    workflow_at: workflow === undefined ? null : (workflow.finishedAt ?? workflow.startedAt ?? workflow.createdAt),
    workflow_url: workflow === undefined ? null : workflowPage(origin, workflow.id),
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));
}

/** @param before the custom fields of the device @returns the values that differ */
export const changedValues = (before: JsonObject, after: CustomFields): CustomFields =>
  Object.fromEntries(Object.entries(after).filter(([name, value]) => !isSame(before[name] ?? null, value)));

/** NetBox returns the same time in another form. */
function isSame(before: unknown, after: string | null): boolean {
  if (before === after) return true;
  if (typeof before !== 'string' || after === null || !/^\d{4}-\d\d-\d\dT/.test(after)) return false;
  return Date.parse(before) === Date.parse(after);
}
