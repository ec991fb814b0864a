/**
 * Tests a graph against everything that may happen to its workflows: each call fails, each message repeats, and the
 * workflow is cancelled, or the daemon killed, before each step. Otherwise all goes well, as in the graph's examples.
 *
 * The properties are those of `end-properties.ts`, and these:
 * 1. The end of a call that failed for good is in the record of its label.
 * 2. A message that repeats, or that comes after the end, changes nothing.
 * 3. A cancelled workflow ends as cancelled.
 * 4. No `once` call begins twice, whenever the daemon dies: neither by the engine, nor by the graph, when it enters the label
 *    again although the effect of the interrupted call is not known.
 * 5. The code of the graph is pure: the same step leads to the same states, at any time of day and with any random numbers.
 */

import type { Operation } from '../durable/step/row.ts';
import { nodesOf } from '../library/forms/machine-nodes.ts';
import type { Graph, Task } from '../library/types.ts';
import type { JsonObject } from '../vocabulary/json.ts';
import { isActive } from '../vocabulary/states.ts';
import { type AnyGraph, type CompileOptions, graphFrom } from './compile-graph.ts';
import { Course } from './course.ts';
import { violationsAtEnd } from './end-properties.ts';
import { launchSamples, type Sample } from './launch-samples.ts';
import { runnerIn } from './step-world.ts';

export interface HarnessOptions extends CompileOptions {
  /** The options of the launch, by label. Absent: those of the graph's examples, each in turn. */
  options?: Record<string, JsonObject>;
}

/** Checks of one kind. */
export interface HarnessCount {
  tried: number;
  passed: number;
}

export interface HarnessProblem {
  kind: 'course' | 'failures' | 'repeats' | 'cancels' | 'kills';
  /** The property that is broken. */
  message: string;
  /** The course of the workflow, in words, up to its end. */
  path: string[];
}

export interface HarnessResult {
  graph: string;
  /** Steps of the courses in which all goes well. Of long courses, and of large graphs, not every step is tried. */
  steps: number;
  /** Ends of calls and waits in them. */
  calls: number;
  /** Per call: it fails, and other attempts may follow; it fails for good. */
  failures: HarnessCount;
  repeats: HarnessCount;
  cancels: HarnessCount;
  /** Per step: the daemon dies before it, and while the next call runs. */
  kills: HarnessCount;
  /** The first of each kind and sentence. */
  problems: HarnessProblem[];
}

const COURSE_LIMIT = 2_000;
/** Points of a course at which something goes wrong; of a longer course, these many, evenly spaced. */
const POINTS_LIMIT = 200;
const POINTS_LEAST = 2;
const LABELS_MANY = 50;
/** Points, times the steps of the course, times the labels: a step of a graph with many labels takes longer. */
const WORK_LIMIT = 200_000;
const PROBLEMS_LIMIT = 20;

/**
 * Tests a graph. Pure; it takes milliseconds.
 * @throws Error with the first broken property and the path to it. NodewrightError INVALID_DEFINITION: the daemon would not
 * load the graph
 */
export async function harness(graph: AnyGraph, options: HarnessOptions = {}): Promise<HarnessResult> {
  const result = examineGraph(graphFrom(graph, options), options);
  const [first, ...others] = result.problems;
  if (first === undefined) return result;
  const more = others.length === 0 ? '' : `\n(and ${others.length} more)`;
  throw new Error(`${result.graph}: ${first.message}\n  ${first.path.join('\n  ')}${more}`);
}

/** The same, without an error: the problems are in the result. */
export function examineGraph(graph: Graph, { options }: Pick<HarnessOptions, 'options'> = {}): HarnessResult {
  const samples = launchSamples(graph, []).map((sample) => (options === undefined ? sample : { ...sample, options }));
  const examination = new Examination(graph);
  for (const sample of samples) examination.sample(sample);
  return examination.result;
}

class Examination {
  readonly result: HarnessResult;
  readonly #graph: Graph;

  constructor(graph: Graph) {
    this.#graph = graph;
    const none = () => ({ tried: 0, passed: 0 });
    const counts = { failures: none(), repeats: none(), cancels: none(), kills: none() };
    this.result = { graph: graph.name, steps: 0, calls: 0, ...counts, problems: [] };
  }

  sample(sample: Sample): void {
    const course = new Course(this.#graph, sample);
    // Serializing large rows takes most of the time. `kill` does it, at each step.
    course.isSerialized = this.#graph.labels.size < LABELS_MANY;
    const whole = course.fork();
    let length = 0;
    while (!whole.isOver && length < COURSE_LIMIT && whole.step()) length += 1;
    this.#find('course', whole, [
      ...(whole.isOver ? [] : [`although all goes well, ${stuckText(whole)}`]),
      ...thrownBy(whole),
      ...violationsAtEnd(whole),
    ]);
    if (!whole.isOver) return;
    this.result.steps += length;
    const points = spacedNumbers(length, Math.floor(WORK_LIMIT / (length * this.#graph.labels.size)));
    for (let at = 0; at <= length; at += 1) {
      if (points.has(at) || at === length) this.#point(course);
      if (course.nextStep?.operation !== undefined) this.result.calls += 1;
      course.step();
    }
  }

  #point(point: Course): void {
    this.#repeats(point);
    if (point.isOver) return;
    this.#repeatsItself(point);
    this.#fails(point);
    this.#checkCancel(point);
    this.#checkKill(point);
  }

  #fails(point: Course): void {
    const operation = point.nextStep?.operation;
    if (operation === undefined || operation.aborting) return;
    this.#try('failures', [false, true], (isForGood) => {
      const course = point.fork();
      course.begin(operation);
      course.breaks(operation, isForGood ? 'fails for good' : 'fails', isForGood ? { retry: false } : {});
      const problems = isForGood ? this.#missingInHistory(course, point.labelOf(operation), operation) : [];
      course.finish();
      return { course, violations: [...problems, ...violationsAtEnd(course)] };
    });
  }

  /** Property 5. */
  #repeatsItself(point: Course): void {
    const { operation } = point.nextStep ?? {};
    const steps: ((course: Course) => void)[] = [(course) => course.step()];
    if (operation !== undefined) steps.push((course) => course.breaks(operation, 'fails', { retry: false }));
    for (const step of steps) {
      const [first, ...others] = worlds.map((world) => {
        const course = point.fork();
        world(() => step(course));
        return { course, state: JSON.stringify([course.row.status, course.row.actors.graph?.snapshot.value]) };
      });
      const other = others.find(({ state }) => state !== first?.state);
      if (other === undefined) continue;
      const message = `the graph's code is not pure: the same step led to ${first?.state}, and then to ${other.state}`;
      this.#find('course', other.course, [message]);
    }
  }

  /** Property 1. */
  #missingInHistory({ history }: Course, label: string, { invokeId }: Operation): string[] {
    const task = this.#graph.labels.get(label)?.task;
    const line = history.findLast((entry) => entry.label === label && entry.event === 'task.failed');
    const isShown = line?.error?.code === 'TASK_FAILED';
    return isShown || task === undefined || handlesError(task, invokeId)
      ? []
      : [`the record of '${label}' does not show its failure`];
  }

  #repeats(point: Course): void {
    const last = point.said.at(-1);
    const late = point.isOver ? [...point.said, { type: 'cancel' } as const, { type: 'timer' } as const] : [];
    // A timer may be due at the same moment.
    const messages = [...(last === undefined ? [] : [last]), ...late].filter(
      ({ type }) => type !== 'timer' || point.isOver,
    );
    let course = point.fork();
    for (const message of messages) {
      this.#try('repeats', [message], ({ type }) => {
        const isChanged = course.send(message);
        return {
          course,
          violations: isChanged ? [`the message '${type}' changed the workflow when it came again`] : [],
        };
      });
      if (course.row !== point.row) course = point.fork();
    }
  }

  #checkCancel(point: Course): void {
    this.#try('cancels', ['cancelled'], (words) => {
      const course = point.fork();
      course.say(words, { type: 'cancel' });
      course.finish();
      const { status } = course.row;
      const problems = status === 'cancelled' || isActive(status) ? [] : [`a cancelled workflow ends as ${status}`];
      return { course, violations: [...problems, ...violationsAtEnd(course)] };
    });
  }

  #checkKill(point: Course): void {
    const operation = point.nextStep?.operation;
    this.#try('kills', [undefined, operation], (begun) => {
      const course = point.fork();
      if (begun !== undefined) course.begin(begun);
      course.kill();
      course.finish();
      const twice = [...course.begun.values()].filter(({ count }) => count > 1);
      return {
        course,
        violations: [
          ...twice.map(({ label }) => `the task '${label}' runs once, and began again`),
          ...[...course.begunAgain].map(
            (label) =>
              `the graph begins '${label}', which runs once, again after an interruption; wait for a person, or give its task a probe`,
          ),
          ...violationsAtEnd(course),
        ],
      };
    });
  }

  /** One check, of one or several cases. */
  #try<Case>(
    kind: Exclude<HarnessProblem['kind'], 'course'>,
    cases: readonly Case[],
    run: (one: Case) => BrokenCourse,
  ): void {
    const brokenCourses = cases.map(run);
    for (const { course, violations } of brokenCourses) this.#find(kind, course, violations);
    this.result[kind].tried += 1;
    if (brokenCourses.every(({ violations }) => violations.length === 0)) this.result[kind].passed += 1;
  }

  #find(kind: HarnessProblem['kind'], { path }: Course, messages: readonly string[]): void {
    const { problems } = this.result;
    for (const message of messages) {
      const isKnown = problems.some((problem) => problem.kind === kind && problem.message === message);
      if (!isKnown && problems.length < PROBLEMS_LIMIT) problems.push({ kind, message, path });
    }
  }
}

/** A course after a check, and the properties that it breaks. */
interface BrokenCourse {
  course: Course;
  violations: string[];
}

const worldOf = (random: number, at: string) => runnerIn({ random: () => random, now: () => Date.parse(at) });

/** The result of a step must not depend on them. */
const worlds = [
  worldOf(0, '1970-01-01T00:00:00.000'),
  worldOf(0.999_999, '2100-12-28T23:59:59.000'),
  worldOf(0, '1970-01-01T00:00:00.000'),
];

const stuckText = ({ row, nextStep: next }: Course): string =>
  next === undefined
    ? `nothing can happen in the state ${JSON.stringify(row.actors.graph?.snapshot.value)}`
    : 'it does not end; name outputs in the examples of the graph that end its loops';

/** Code of a graph that throws ends the workflow in a state that is not final. */
function thrownBy({ graph: { machine }, row: { actors, error } }: Course): string[] {
  const { value = null, context } = actors.graph?.snapshot ?? {};
  const isActiveState = value === null || machine.resolveState({ value, context } as never).status === 'active';
  if (error?.code !== 'GRAPH_FAILED' || !isActiveState) return [];
  return [
    `the graph's code fails although all goes well: ${error.message}; correct it, or give the graph examples with outputs`,
  ];
}

/** Whether the task has its own reaction to the failure of an operation. */
const handlesError = ({ machine }: Task, invokeId: string): boolean =>
  nodesOf(machine).some(({ transitions }) =>
    [...transitions.keys()].some((type) => type.includes('*') || type === `xstate.error.actor.${invokeId}`),
  );

/** Returns the positions of points in a course, evenly spaced. */
function spacedNumbers(length: number, limit: number): Set<number> {
  const count = Math.min(length, Math.max(POINTS_LEAST, Math.min(POINTS_LIMIT, limit)));
  return new Set(Array.from({ length: count }, (_, n) => Math.floor((n * length) / count)));
}
