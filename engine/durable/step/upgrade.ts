/**
 * Rows of earlier versions: the same data under other names. A row is upgraded whenever it is read, and stored under the
 * new names by its next step.
 */
import { isObject, type JsonObject, listIn, objectIn } from '../../vocabulary/json.ts';
import type { NodeRow } from './node.ts';
import type { Effect, PendingEffects, WorkflowRow } from './row.ts';

/** Returns a copy with these keys renamed; other keys, and absent ones, stay as they are. */
const renamed = (object: JsonObject, names: Record<string, string>): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [names[key] ?? key, value]));

const each = (object: unknown, change: (value: JsonObject) => JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(objectIn(object)).map(([key, value]) => [key, change(objectIn(value))]));

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
  const { parent } = start;
  return { ...renamed(start, startNames), parent: isObject(parent) ? renamed(parent, { work: 'operation' }) : parent };
}

function messageOf(message: JsonObject): JsonObject {
  const { start, ...rest } = renamed(message, messageNames);
  return start === undefined ? rest : { ...rest, start: startOf(objectIn(start)) };
}

function effectOf({ kind, message, ...effect }: JsonObject): Effect {
  const { start, ...rest } = renamed(effect, messageNames);
  return {
    ...rest,
    kind: effectKinds[String(kind)] ?? kind,
    ...(start !== undefined && { start: startOf(objectIn(start)) }),
    ...(message !== undefined && { message: messageOf(objectIn(message)) }),
  } as Effect;
}

const pendingOf = (todo: unknown): PendingEffects[] =>
  listIn(todo).map((step) => {
    const { effects, ...rest } = objectIn(step);
    return { ...rest, effects: listIn(effects).map((effect) => effectOf(objectIn(effect))) } as PendingEffects;
  });

export function upgradedWorkflow(row: WorkflowRow): WorkflowRow {
  if (!('cells' in row)) return row;
  const { cells, works, todo, timers, counts, ...rest }: JsonObject = { ...row };
  return {
    ...startOf(rest),
    actors: Object.fromEntries(Object.entries(objectIn(cells)).map(([key, actor]) => [keyOf(key), actor])),
    operations: each(works, operationOf),
    timers: Object.fromEntries(
      Object.entries(objectIn(timers)).map(([id, timer]) => {
        const { cell, ...rest } = objectIn(timer);
        return [keyOf(id), { ...rest, actor: keyOf(String(cell)) }];
      }),
    ),
    pendingEffects: pendingOf(todo),
    counts: renamed(objectIn(counts), { calls: 'taskRuns', works: 'operations' }),
  } as unknown as WorkflowRow;
}

export function upgradedNode(row: NodeRow): NodeRow {
  if (!('todo' in row)) return row;
  const { todo, ...rest }: JsonObject = { ...row };
  const snapshot = objectIn(rest.snapshot);
  const { mail, waiters, ...context } = objectIn(snapshot.context);
  const queued = listIn(mail).map((item) => renamed(objectIn(item), { taker: 'claimedBy', call: 'taskRun' }));
  const receivers = listIn(waiters).map((wait) =>
    typeof wait === 'string' ? wait : renamed(objectIn(wait), { waiter: 'receiver' }),
  );
  return {
    ...rest,
    snapshot: { ...snapshot, context: { ...context, queued, receivers } },
    pendingEffects: pendingOf(todo),
  } as unknown as NodeRow;
}
