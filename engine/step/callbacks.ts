/**
 * Callbacks: each call has a URL whose nonce is for that call alone, so a repeat of it can complete nothing else.
 *
 * 1. A nonce is derived from a key in the workflow's row, the label and the number of the label's call (its visit). So it is the
 *    same in every process and over all attempts of the call, and the row of a workflow tells whose it is.
 * 2. A label's callback can be had before its call begins: an installer is given the callbacks of all later waits at once.
 * 3. When the call ends, or its graph leaves it, its nonce means nothing any more, and the label has the next.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Place, Waiter } from '../actors/messages.ts';
import { callbackUrl, formatNonce, parseNonce } from '../define/callback.ts';
import { isActive } from '../define/states.ts';
import type { Graph } from '../library/types.ts';
import type { Cell, Work, WorkflowRow } from './row.ts';

type Keyed = Pick<WorkflowRow, 'id' | 'tasks' | 'callbackKey' | 'visits'>;

/** The call of the label that its callback is for. */
export const visitOf = ({ visits = {} }: Pick<WorkflowRow, 'visits'>, label: string): number => visits[label] ?? 1;

/** The call has ended, or its graph has left it. A call that an earlier version began has no number: it is the current one. */
export function leaveVisit(row: WorkflowRow, { label, visit, detached }: Partial<Cell>): void {
  if (label === undefined || detached) return;
  row.visits = { ...row.visits, [label]: (visit ?? visitOf(row, label)) + 1 };
}

const macOf = (key: string, label: string, visit: number): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify([label, visit]))
    .digest();

/** @returns undefined for a row that an earlier version wrote */
export function nonceOf(row: Keyed, label: string): string | undefined {
  const index = row.tasks.findIndex((entry) => entry.label === label);
  if (row.callbackKey === undefined || index < 0) return undefined;
  const visit = visitOf(row, label);
  return formatNonce({
    workflow: row.id,
    index,
    visit,
    mac: macOf(row.callbackKey, label, visit).toString('base64url'),
  });
}

/** @returns undefined when it is no nonce of this workflow */
export function placeOf(row: Keyed, nonce: string): Place | undefined {
  const parsed = parseNonce(nonce);
  const label = parsed && row.tasks[parsed.index]?.label;
  if (parsed?.workflow !== row.id || label === undefined || row.callbackKey === undefined) return undefined;
  const mac = macOf(row.callbackKey, label, parsed.visit);
  // As text: base64url has several texts for the same bytes.
  if (!timingSafeEqual(Buffer.from(mac.toString('base64url')), Buffer.from(parsed.mac))) return undefined;
  return { workflow: row.id, label, visit: parsed.visit };
}

/** Whether nothing can take the callback any more. */
export const isOver = (row: WorkflowRow, { label, visit }: Place): boolean =>
  !isActive(row.status) || visit < visitOf(row, label);

/** Where nodes reach the daemon, as it was when the workflow began. */
const baseOf = ({ bindings }: Pick<WorkflowRow, 'bindings'>): string | undefined =>
  (bindings.api as { base?: string } | undefined)?.base;

/** @returns undefined for a row that an earlier version wrote */
export function callbackOf(row: WorkflowRow, label: string): string | undefined {
  const [base, nonce] = [baseOf(row), nonceOf(row, label)];
  return base === undefined || nonce === undefined ? undefined : callbackUrl(base, nonce);
}

/**
 * The label that `{{ task.callback }}` is for in the options of a label: itself, or, when its task takes no notifications, the
 * one label of the graph that does. @returns undefined when several do
 */
export function callbackLabel({ labels }: Pick<Graph, 'labels'>, label: string): string | undefined {
  const takers = [...labels.values()].filter(({ task }) => task.takesNotifications).map((taker) => taker.label);
  if (takers.length === 0 || takers.includes(label)) return label;
  return takers.length === 1 ? takers[0] : undefined;
}

/** What `{{ task.x }}` names in the options of a label. Callbacks are made when they are asked for. */
export function taskScope(row: WorkflowRow, graph: Pick<Graph, 'labels'>, label: string): Record<string, unknown> {
  const instanceId = row.tasks.find((entry) => entry.label === label)?.instanceId;
  return {
    ...{ nodeId: row.node, label, instanceId },
    get callback() {
      const own = callbackLabel(graph, label);
      return own && callbackOf(row, own);
    },
    get callbacks() {
      return Object.fromEntries([...graph.labels.keys()].map((each) => [each, callbackOf(row, each)]));
    },
  };
}

const callOf = ({ cells }: Pick<WorkflowRow, 'cells'>, { call }: Work): Partial<Cell> => cells[`call:${call}`] ?? {};

/** A wait for a notification, as the node's actor knows it. */
export function waiterOf(row: Pick<WorkflowRow, 'id' | 'cells' | 'visits'>, work: Work): Waiter {
  const { label, visit } = callOf(row, work);
  const { callbackOnly } = (work.input ?? {}) as { callbackOnly?: unknown };
  return {
    waiter: `${row.id}/${work.id}`,
    ...(label !== undefined && { label, visit: visit ?? visitOf(row, label) }),
    ...(callbackOnly === true && { callbackOnly }),
  };
}

const waits = ({ works }: Pick<WorkflowRow, 'works'>): Work[] =>
  Object.values(works).filter(({ kind }) => kind === 'notification');

export const waitersOf = (row: WorkflowRow): Waiter[] => waits(row).map((work) => waiterOf(row, work));

/** The nonces of all workflows on a node, as templates and agents find them. */
export interface Callbacks {
  /** Of the one call that waits for a notification; null: none does, or several do. */
  open: string | null;
  /** By label, of all that have not ended. */
  all: Record<string, string>;
}

/** @param rows of two with the same label the first counts */
export function callbacksOf(rows: readonly WorkflowRow[]): Callbacks {
  const named = rows.flatMap((row) => row.tasks.map(({ label }) => [label, nonceOf(row, label)] as const));
  const known = named.filter((entry): entry is [string, string] => entry[1] !== undefined);
  const open = new Set(
    rows.flatMap((row) => waits(row).flatMap((work) => nonceOf(row, callOf(row, work).label ?? '') ?? [])),
  );
  const [single] = open;
  return { open: open.size === 1 && single !== undefined ? single : null, all: Object.fromEntries(known.reverse()) };
}
