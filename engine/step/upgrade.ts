/**
 * Rows of earlier versions: the same data under other names. A row is upgraded whenever it is read, and stored under the
 * new names by its next step.
 */
import type { JsonObject } from '../define/json.ts';
import type { NodeRow } from './node.ts';
import type { Effect, Operation, PendingEffects, WorkflowRow } from './row.ts';

/** Returns a copy with these keys renamed; other keys, and absent ones, stay as they are. */
const renamed = (object: JsonObject, names: Record<string, string>): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [names[key] ?? key, value]));

const each = <T>(object: JsonObject, change: (value: JsonObject) => JsonObject): Record<string, T> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value as JsonObject)])) as Record<
    string,
    T
  >;

const keyOf = (key: string): string => key.replace(/^call:/, 'taskRun:');

const operationNames = { call: 'taskRun', lane: 'chain' };
const messageNames = {
  work: 'operation',
  lane: 'chain',
  mail: 'notification',
  waiter: 'receiver',
  seed: 'start',
  call: 'taskRun',
};
const startNames = { target: 'mailboxId', sealed: 'encrypted' };
const effectKinds: Record<string, string> = {
  offer: 'notify-agent',
  'tell-node': 'send-to-node',
  'tell-workflow': 'send-to-workflow',
};

const operationOf = ({ kind, ...operation }: JsonObject): JsonObject => ({
  ...renamed(operation, operationNames),
  kind: kind === 'act' ? 'activity' : kind,
});

function startOf(start: JsonObject): JsonObject {
  const parent = start.parent as JsonObject | null;
  return { ...renamed(start, startNames), parent: parent && renamed(parent, { work: 'operation' }) };
}

function messageOf(message: JsonObject): JsonObject {
  const { start, ...rest } = renamed(message, messageNames);
  return start === undefined ? rest : { ...rest, start: startOf(start as JsonObject) };
}

function effectOf({ kind, message, ...effect }: JsonObject): Effect {
  const { start, ...rest } = renamed(effect, messageNames);
  return {
    ...rest,
    kind: effectKinds[kind as string] ?? kind,
    ...(start !== undefined && { start: startOf(start as JsonObject) }),
    ...(message !== undefined && { message: messageOf(message as JsonObject) }),
  } as Effect;
}

const pendingOf = (todo: unknown): PendingEffects[] =>
  (todo as JsonObject[]).map(
    (step) => ({ ...step, effects: (step.effects as JsonObject[]).map(effectOf) }) as PendingEffects,
  );

export function upgradedWorkflow(row: WorkflowRow): WorkflowRow {
  const old = row as unknown as JsonObject;
  if (!('cells' in old)) return row;
  const { cells, works, todo, timers, counts, ...rest } = old;
  return {
    ...startOf(rest),
    actors: Object.fromEntries(Object.entries(cells as JsonObject).map(([key, actor]) => [keyOf(key), actor])),
    operations: each<Operation>(works as JsonObject, operationOf),
    timers: Object.fromEntries(
      Object.entries(timers as JsonObject).map(([id, timer]) => {
        const { cell, ...rest } = timer as JsonObject;
        return [keyOf(id), { ...rest, actor: keyOf(cell as string) }];
      }),
    ),
    pendingEffects: pendingOf(todo),
    counts: renamed(counts as JsonObject, { calls: 'taskRuns', works: 'operations' }),
  } as unknown as WorkflowRow;
}

export function upgradedNode(row: NodeRow): NodeRow {
  const old = row as unknown as JsonObject;
  if (!('todo' in old)) return row;
  const { todo, snapshot, ...rest } = old as JsonObject & { snapshot: { value: unknown; context: JsonObject } };
  const { mail = [], waiters = [], ...context } = snapshot.context;
  const queued = (mail as JsonObject[]).map((item) => renamed(item, { taker: 'claimedBy', call: 'taskRun' }));
  const receivers = (waiters as (JsonObject | string)[]).map((wait) =>
    typeof wait === 'string' ? wait : renamed(wait, { waiter: 'receiver' }),
  );
  return {
    ...rest,
    snapshot: { ...snapshot, context: { ...context, queued, receivers } },
    pendingEffects: pendingOf(todo),
  } as unknown as NodeRow;
}
