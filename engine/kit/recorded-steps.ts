/**
 * The steps of a recorded run, and the messages that may have caused each. The history names a cause, not the whole message:
 * outputs of earlier runs of a label, and facts about errors, are not in it. So there may be several messages, of which
 * the one fits that leads to the recorded lines.
 */
import type { WorkflowMessage } from '../durable/actors/messages.ts';
import type { Operation } from '../durable/step/row.ts';
import type { FlatError } from '../vocabulary/errors.ts';
import { objectIn } from '../vocabulary/json.ts';
import { exampleOutputs } from './launch-samples.ts';
import { stateText } from './readable.ts';
import type { Run } from './run.ts';
import type { RecordedLine, RecordedRun } from './run-file.ts';

export interface RecordedStep {
  version: number;
  /** ms since the epoch. */
  at: number;
  cause: { kind: string; ref: string | null };
  lines: RecordedLine[];
}

/** Progress changes nothing in a workflow's course. */
const isCourse = ({ event }: RecordedLine): boolean => event !== 'task.progress';

/** Returns the steps with their lines, the launch first. */
export function recordedSteps({ history }: RecordedRun): RecordedStep[] {
  const steps = new Map<number, RecordedStep>();
  for (const line of history.filter(isCourse)) {
    const { version, at, cause = { kind: 'engine', ref: null } } = line;
    const step = steps.get(version) ?? { version, at: Date.parse(at), cause, lines: [] };
    step.lines.push(line);
    steps.set(version, step);
  }
  return [...steps.values()].sort((a, b) => a.version - b.version);
}

/** Returns a line without what differs from run to run. The event of a graph's line is only its cause. */
export function comparisonKey({ event, label, from, to, error }: Omit<RecordedLine, 'version' | 'at'>): string {
  const isGraph = label === undefined && !event.startsWith('workflow.');
  const change = `${stateText(from)} -> ${stateText(to)}`;
  const why = error === undefined ? '' : ` (${error.code})`;
  return isGraph ? `graph: ${change}` : `${label ?? 'workflow'}: ${change}${why} [${event}]`;
}

/** A message, and whether its content is a guess. */
export interface PossibleMessage {
  message: WorkflowMessage;
  /** Its time, in ms since the epoch; absent: that of the step. */
  at?: number;
  label?: string;
  isGuess: boolean;
}

/** Returns the messages that may have caused the step, the most likely first. */
export function possibleMessages(run: Run, step: RecordedStep, record: RecordedRun): PossibleMessage[] {
  const ownMessage = ofWorkflow(step);
  const timers = earlierTimer(run, step);
  if (ownMessage !== undefined) return [{ message: ownMessage, isGuess: false }, ...timers];
  const operations = involvedOperations(run, step);
  const groups = step.cause.kind === 'engine' && step.cause.ref !== null ? [step.cause.ref] : [];
  return [
    ...timers,
    ...operations.flatMap((operation) => endsOf(run, operation, step, record)),
    ...groups.map((group) => ({ message: { type: 'release', group } as const, isGuess: false })),
  ];
}

/** Returns the earliest timer that was due before the step. */
export function earlierTimer({ row, now }: Run, step: RecordedStep): PossibleMessage[] {
  const first = Math.min(...Object.values(row.timers).map(({ at }) => at));
  return first > step.at ? [] : [{ message: { type: 'timer' }, at: Math.max(now, first), isGuess: false }];
}

function ofWorkflow({ cause, lines }: RecordedStep): WorkflowMessage | undefined {
  const has = (event: string) => lines.some((line) => line.event === `workflow.${event}`);
  if (has('cancelling')) return { type: 'cancel' };
  if (has('paused')) return { type: 'pause' };
  if (has('resumed')) return { type: 'resume' };
  if (cause.kind === 'timer') return { type: 'timer' };
  return cause.kind === 'user' ? { type: 'retry-now' } : undefined;
}

/** Returns the open operations that the step may be about. Ids of operations are the same in each run. */
function involvedOperations(run: Run, { cause, lines }: RecordedStep): Operation[] {
  const labels = new Set(lines.map(({ label }) => label));
  const rankOf = (operation: Operation) =>
    operation.id === cause.ref ? 0 : labels.has(run.labelOf(operation)) ? 1 : 2;
  return run.operations.sort((a, b) => rankOf(a) - rankOf(b));
}

function endsOf(run: Run, operation: Operation, { lines, at }: RecordedStep, record: RecordedRun): PossibleMessage[] {
  const label = run.labelOf(operation);
  const line = lines.find((one) => one.label === label);
  const done = outputsOf(run, operation, label, record).map(({ output, isGuess }): PossibleMessage => {
    const message = { type: 'work.done', operation: operation.id, output } as const;
    return { message, label, isGuess };
  });
  const failed = errorsOf(line, at).map((error): PossibleMessage => {
    return { message: { type: 'work.failed', operation: operation.id, error }, label, isGuess: false };
  });
  const claim: PossibleMessage = {
    message: { type: 'work.claim', operation: operation.id, by: 'agent' },
    isGuess: false,
  };
  const isFailure = line?.error !== undefined || /^task\.(failed|cancelled|timeout)$/.test(line?.event ?? '');
  return [
    ...(line?.event === 'task.running' ? [claim] : []),
    ...(isFailure ? [...failed, ...done] : [...done, ...failed]),
  ];
}

/** The output of the latest run of a label is in the record; of a task with several operations, perhaps as a part of it. */
function outputsOf(run: Run, operation: Operation, label: string, { workflow }: RecordedRun) {
  const recorded = workflow.tasks.find((task) => task.label === label)?.output ?? null;
  const { results } = objectIn(recorded);
  const parts = Array.isArray(results) ? results : [];
  const examples = exampleOutputs(run.graph).get(label) ?? [];
  const recordedOutputs = recorded === null ? [] : [{ output: recorded, isGuess: false }];
  const guesses = [...parts, ...examples, {}].map((output: unknown) => ({ output, isGuess: true }));
  const all = [...recordedOutputs, ...guesses];
  if (operation.kind !== 'graph') return all;
  // The record has the output of the task, which may be that of the operation.
  return [...all, ...all.map(({ output }) => ({ output: { workflowId: 'child', output }, isGuess: true }))];
}

/** The same error with the facts that decide about another attempt. */
function errorsOf(line: RecordedLine | undefined, at: number): FlatError[] {
  const { code = 'TASK_CANCELLED', message = 'the call failed' } = line?.error ?? {};
  const error: FlatError = { name: 'Error', code, message };
  const soon = new Date(at + 1_000).toISOString();
  const circuitOpen = { ...error, backoffUntil: soon };
  return [
    error,
    { ...error, retry: false },
    { ...error, nothingDone: true },
    circuitOpen,
    { ...circuitOpen, sent: true },
  ];
}
