/** The filters of the list of workflows: in the address of the page, and as the query of the request. */
import { HOUR_MS } from '../../../../engine/vocabulary/units.ts';

export const workflowViews = {
  active: 'Active',
  running: 'Running',
  waiting: 'Waiting',
  stuck: 'Stuck',
  'failed-today': 'Failed today',
  mine: 'Mine',
} as const;

/** Absent or '': not filtered by it. */
export interface ListChoice {
  view?: string;
  status?: string;
  /** The beginning of its name. */
  graph?: string;
  /** The beginning of its name, or its id. */
  node?: string;
  /** The id of the batch that launched it. */
  batch?: string;
  /** One of `spans`: launched since then. */
  since?: string;
  /** ISO 8601: launched at that time or later. */
  from?: string;
  /** ISO 8601: launched before. */
  to?: string;
  /** One of `workflowSorts`; absent: the newest first. */
  sort?: string;
}

const sortFields = ['createdAt', 'startedAt', 'finishedAt', 'injectableName', 'status', 'launchedBy'];
const workflowSorts: readonly string[] = sortFields.flatMap((field) => [field, `-${field}`]);

const CHOICES = ['view', 'status', 'graph', 'node', 'batch', 'since', 'from', 'to', 'sort'] as const;

/** ms */
export const spans: Readonly<Record<string, { title: string; ms: number }>> = {
  '1h': { title: 'in the last hour', ms: HOUR_MS },
  '24h': { title: 'in the last 24 hours', ms: 24 * HOUR_MS },
  '7d': { title: 'in the last 7 days', ms: 7 * 24 * HOUR_MS },
  '30d': { title: 'in the last 30 days', ms: 30 * 24 * HOUR_MS },
};
const NODE_ID = /^[0-9a-f]{8}[0-9a-f-]{15,}$/i;

export const isNodeId = (text: string): boolean => NODE_ID.test(text);

/** Only what filters or sorts. */
export const choiceOf = (query: Readonly<Record<string, string>>): ListChoice =>
  Object.fromEntries(CHOICES.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));

export function addressOfChoice(choice: ListChoice): string {
  const search = new URLSearchParams(Object.entries(choiceOf({ ...choice })));
  return `/ui/workflows${search.size === 0 ? '' : `?${search}`}`;
}

interface Asker {
  now: Date;
  /** Ids of the nodes whose name begins so; absent: not filtered by names. */
  nodes?: readonly string[] | undefined;
  /** The name of the user, whose workflows `mine` selects. */
  user?: string | undefined;
}

export type ListParameters = Record<string, string | number | boolean | undefined>;

const WORKFLOW_FIELDS =
  'id,injectableName,node,status,launchedBy,root,parent,retryOf,paused,waiting,progress,error,dueAt,createdAt,startedAt,finishedAt';

/** @returns undefined: no node has such a name, so there is nothing to list */
export function parametersOfChoice(choice: ListChoice, { now, nodes, user }: Asker): ListParameters | undefined {
  const { view, status, graph, node, batch } = choice;
  if (nodes?.length === 0) return undefined;
  const ofNode = node === undefined ? undefined : isNodeId(node) ? node : nodes?.join(',');
  return {
    fields: WORKFLOW_FIELDS,
    sort: sortOfChoice(choice),
    status,
    'injectableName.prefix': graph,
    node: ofNode,
    batch,
    ...ofTime(choice, now),
    ...ofView(view, now, user),
  };
}

/** Whether it is in the view, whose daemon's list has more: a workflow that waits, or is paused, does not run. */
export function isInView({ view }: ListChoice, { waiting, paused }: { waiting: unknown; paused: unknown }): boolean {
  const isWaiting = waiting !== null || paused !== null;
  return view === 'running' ? !isWaiting : view !== 'waiting' || isWaiting;
}

export function sortOfChoice({ sort = '', view }: ListChoice): string {
  if (workflowSorts.includes(sort)) return sort;
  return view === 'failed-today' ? '-finishedAt' : '-createdAt';
}

function ofTime({ since, from, to }: ListChoice, now: Date): ListParameters {
  const span = since === undefined ? undefined : spans[since];
  const begin = span === undefined ? from : new Date(now.getTime() - span.ms).toISOString();
  return { 'createdAt.gte': begin, 'createdAt.lt': span === undefined ? to : undefined };
}

function ofView(view: string | undefined, now: Date, user: string | undefined): ListParameters {
  if (view === 'active' || view === 'running' || view === 'waiting') return { active: true };
  if (view === 'stuck') return { stuck: true };
  if (view === 'mine') return { launchedBy: user };
  if (view !== 'failed-today') return {};
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  return { status: 'failed', 'finishedAt.gte': midnight.toISOString() };
}
