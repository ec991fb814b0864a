/**
 * Callbacks: each task run has a URL whose nonce is only for that task run, so a repeated request cannot complete
 * another.
 *
 * 1. A nonce is derived from a key in the workflow's row, the label and the number of the label's task run (its visit).
 *    It is the same in every process and for all attempts, and the workflow's row can verify it.
 * 2. A label's callback is available before its task run begins: an installer gets the callbacks of all later waits
 *    together.
 * 3. When the task run ends, or its graph leaves it, its nonce becomes invalid, and the label gets the next one.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Graph } from '../../library/types.ts';
import { callbackUrl, formatNonce, parseNonce } from '../../vocabulary/callback.ts';
import { property } from '../../vocabulary/json.ts';
import { isActive } from '../../vocabulary/states.ts';
import { receiverName } from '../actors/mailbox.ts';
import type { Receiver, TaskRunPlace } from '../actors/messages.ts';
import type { ActorSnapshot, Operation, WorkflowRow } from './row.ts';

type CallbackRow = Pick<WorkflowRow, 'id' | 'tasks' | 'callbackKey' | 'visits'>;

/** Returns the number of the label's task run that its callback is for. */
export const visitOf = ({ visits = {} }: Pick<WorkflowRow, 'visits'>, label: string): number => visits[label] ?? 1;

/** Ends a visit of a label. @param row of a step, whose visits are a copy */
export function leaveVisit(row: WorkflowRow, { label, visit, detached }: Partial<ActorSnapshot>): void {
  if (label === undefined || visit === undefined || detached) return;
  row.visits ??= {};
  row.visits[label] = visit + 1;
  callbacksOfRows.delete(row);
}

const macOf = (key: string, label: string, visit: number): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify([label, visit]))
    .digest();

/** @returns undefined for a label that the graph does not have */
export function nonceOf(row: CallbackRow, label: string): string | undefined {
  const index = row.tasks.findIndex((entry) => entry.label === label);
  if (index < 0) return undefined;
  const visit = visitOf(row, label);
  return formatNonce({
    workflow: row.id,
    index,
    visit,
    mac: macOf(row.callbackKey, label, visit).toString('base64url'),
  });
}

/** @returns undefined if it is not a nonce of this workflow */
export function placeOf(row: CallbackRow, nonce: string): TaskRunPlace | undefined {
  const parsed = parseNonce(nonce);
  const label = parsed && row.tasks[parsed.index]?.label;
  if (parsed?.workflow !== row.id || label === undefined) return undefined;
  const mac = macOf(row.callbackKey, label, parsed.visit);
  // As text: base64url has several texts for the same bytes.
  if (!timingSafeEqual(Buffer.from(mac.toString('base64url')), Buffer.from(parsed.mac))) return undefined;
  return { workflow: row.id, label, visit: parsed.visit };
}

/** Whether no task run can receive the callback any more. */
export const isOver = (row: WorkflowRow, { label, visit }: TaskRunPlace): boolean =>
  !isActive(row.status) || visit < visitOf(row, label);

/** The southbound base URL, as configured when the workflow began. */
const baseOf = ({ bindings }: Pick<WorkflowRow, 'bindings'>): string | undefined =>
  (bindings.api as { base?: string } | undefined)?.base;

/** @returns undefined without a base URL, or for a label that the graph does not have */
export function callbackOf(row: WorkflowRow, label: string): string | undefined {
  const [base, nonce] = [baseOf(row), nonceOf(row, label)];
  return base === undefined || nonce === undefined ? undefined : callbackUrl(base, nonce);
}

/**
 * Returns the label that `{{ task.callback }}` refers to in a label's options: itself, or, if its task receives no
 * notifications, the only label of the graph that does. @returns undefined if several do
 */
export function callbackLabel({ labels }: Pick<Graph, 'labels'>, label: string): string | undefined {
  if (labels.get(label)?.task.takesNotifications) return label;
  let receiving: string | undefined;
  for (const [other, { task }] of labels) {
    if (!task.takesNotifications) continue;
    if (receiving !== undefined) return undefined;
    receiving = other;
  }
  return receiving ?? label;
}

type CallbackUrls = Readonly<Record<string, string | undefined>>;

/** Callbacks of all labels: the expressions of one step may name thousands, and each URL is a MAC. */
const callbacksOfRows = new WeakMap<CallbackRow, CallbackUrls>();

function callbackUrls(row: WorkflowRow, { labels }: Pick<Graph, 'labels'>): CallbackUrls {
  const before = callbacksOfRows.get(row);
  if (before !== undefined) return before;
  const urls = Object.fromEntries([...labels.keys()].map((label) => [label, callbackOf(row, label)]));
  callbacksOfRows.set(row, urls);
  return urls;
}

/** The values of `{{ task.x }}` in a label's options. Callbacks are computed on access. */
export function taskScope(row: WorkflowRow, graph: Pick<Graph, 'labels'>, label: string): Record<string, unknown> {
  const instanceId = row.tasks.find((entry) => entry.label === label)?.instanceId;
  return {
    nodeId: row.node,
    label,
    instanceId,
    get callback() {
      const own = callbackLabel(graph, label);
      return own && callbackOf(row, own);
    },
    get callbacks() {
      return callbackUrls(row, graph);
    },
  };
}

const taskRunOf = ({ actors }: Pick<WorkflowRow, 'actors'>, { taskRun }: Operation): Partial<ActorSnapshot> =>
  actors[`taskRun:${taskRun}`] ?? {};

/** A wait for a notification, in the form that the node's actor uses. */
export function receiverOf(row: Pick<WorkflowRow, 'id' | 'actors'>, operation: Operation): Receiver {
  const { label = '', visit = 1 } = taskRunOf(row, operation);
  return {
    receiver: receiverName(row.id, operation.id),
    label,
    visit,
    ...(property(operation.input, 'callbackOnly') === true && { callbackOnly: true }),
    ...(property(operation.input, 'broadcast') === false && { broadcast: false }),
  };
}

const waits = ({ operations }: Pick<WorkflowRow, 'operations'>): Operation[] =>
  Object.values(operations).filter(({ kind }) => kind === 'notification');

export const receiversOf = (row: WorkflowRow): Receiver[] => waits(row).map((operation) => receiverOf(row, operation));

/** The nonces of all workflows on a node, for templates. */
export interface Callbacks {
  /** Nonce of the only task run that waits for a notification; null: none, or several. */
  open: string | null;
  /** By label, for all task runs that have not ended. */
  all: Record<string, string>;
}

/** @param rows if two have the same label, the first applies */
export function callbacksOf(rows: readonly WorkflowRow[]): Callbacks {
  const named = rows.flatMap((row) => row.tasks.map(({ label }) => [label, nonceOf(row, label)] as const));
  const known = named.filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { open: openCallback(rows), all: Object.fromEntries(known.reverse()) };
}

/** Returns `Callbacks.open` alone: the nonces of all labels take longer than the rest of an agent's request. */
export function openCallback(rows: readonly WorkflowRow[]): string | null {
  const open = new Set(
    rows.flatMap((row) => waits(row).flatMap((operation) => nonceOf(row, taskRunOf(row, operation).label ?? '') ?? [])),
  );
  const [single] = open;
  return open.size === 1 && single !== undefined ? single : null;
}
