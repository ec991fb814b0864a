/** The differences between two workflows of one graph: their ends, inputs and times. Pure. */
import type { Difference, WorkflowDiffRecord } from '../../api-port/workflow-diffs.ts';
import type { HistoryEntry, TaskEntry, WorkflowRow } from '../../durable/step/row.ts';
import { type LeafValue, leafValues } from '../../platform/lib/leaf-values.ts';

const LEAVES = 5_000;
const LONGEST_TEXT = 500;
const DIFFERENCES = 200;

export type Leaves = ReadonlyMap<string, LeafValue>;

export const leavesOf = (value: unknown, path: string): [string, LeafValue][] =>
  leafValues(value, path, LEAVES, LONGEST_TEXT);

export function differences(a: Leaves, b: Leaves): Difference[] {
  const all: Difference[] = [];
  for (const path of new Set([...a.keys(), ...b.keys()])) {
    const [inA = null, inB = null] = [a.get(path), b.get(path)];
    if (inA !== inB) all.push({ path, a: inA, b: inB });
    if (all.length >= DIFFERENCES) break;
  }
  return all;
}

const endOf = ({ state, error }: TaskEntry): string => (error === null ? state : `${state} ${error.code}`);

type Run = Pick<WorkflowRow, 'tasks'> & { history: readonly HistoryEntry[] };

/** The first label, in the order of b's history, whose end differs. */
export function firstDifference(a: Run, b: Run): WorkflowDiffRecord['first'] {
  const ends = new Map(a.tasks.map((entry) => [entry.label, endOf(entry)]));
  const differing = new Map(
    b.tasks.flatMap((entry) => {
      const [inA = 'skipped', inB] = [ends.get(entry.label), endOf(entry)];
      return inA === inB ? [] : [[entry.label, { a: inA, b: inB }] as const];
    }),
  );
  const isEnd = ({ label, to }: HistoryEntry) => label !== undefined && differing.get(label)?.b.split(' ')[0] === to;
  const label = b.history.find(isEnd)?.label ?? [...differing.keys()][0];
  const end = label === undefined ? undefined : differing.get(label);
  if (label === undefined || end === undefined) return null;
  const seq = a.history.findLastIndex((entry) => entry.label === label && entry.to === end.a.split(' ')[0]);
  return { seq: seq < 0 ? null : seq, label, ...end };
}

/** By label, in the order of b's tasks. */
export function timings(a: Pick<WorkflowRow, 'tasks'>, b: Pick<WorkflowRow, 'tasks'>): WorkflowDiffRecord['timings'] {
  const before = new Map(a.tasks.map((entry) => [entry.label, msOf(entry)]));
  return b.tasks.map((entry) => ({ label: entry.label, aMs: before.get(entry.label) ?? null, bMs: msOf(entry) }));
}

const msOf = ({ startedAt, finishedAt }: TaskEntry): number | null =>
  startedAt === null || finishedAt === null ? null : Date.parse(finishedAt) - Date.parse(startedAt);
