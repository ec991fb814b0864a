/**
 * The worker: runs acts. A queue job is a **lane** of one workflow: it carries one act, and when the step that ends it
 * asks for another, that one too, so that a chain of acts needs one job and not one each.
 *
 * Owns: the acts that run in this process, with their abort signals. Relies on the row, never on the job: what to run
 * next is the open act of that lane.
 *
 * 1. An act that is not open any more, or is aborting, is not begun.
 * 2. A `once` act is begun only by the process whose claim the row holds. Another's claim means that it was begun
 *    before and its process is gone: the call fails as interrupted, unless the task's probe finds out more.
 * 3. A result that comes late (the work was closed meanwhile) is refused, and the lane ends.
 */
import { setTimeout } from 'node:timers/promises';
import type { WorkflowMessage } from '../actors/messages.ts';
import { type FlatError, flatten } from '../define/errors.ts';
import { type ActScope, actFunction, type World } from '../define/work.ts';
import type { Graph, Task } from '../library/types.ts';
import type { Consumer, Queue } from '../queue/port.ts';
import { taskKey } from '../step/draft.ts';
import type { Work, WorkflowRow } from '../step/row.ts';
import { plain } from './plain.ts';
import type { Tell } from './tell.ts';

export interface LaneJob {
  workflow: string;
  lane: string;
}

export interface WorkerPort {
  load(id: string): Promise<WorkflowRow | undefined>;
  pinned(hash: string): Promise<Graph>;
  tell: Tell;
  world: World;
  /** This process, in claims. */
  id: string;
  failed(workflow: string, error: unknown): void;
}

const REPORT_AGAIN_MS = 200;
const REPORT_AGAIN_MAX_MS = 5_000;

type Report = { type: 'work.done'; output: unknown } | { type: 'work.failed'; error: FlatError };

export class Worker {
  readonly #port: WorkerPort;
  readonly #running = new Map<string, AbortController>();
  #consumer: Consumer | undefined;
  #closing = false;

  constructor(port: WorkerPort) {
    this.#port = port;
  }

  start(queue: Queue<LaneJob>, concurrency: number): void {
    this.#consumer = queue.consume((job, signal) => this.#lane(job, signal), concurrency);
  }

  /** @returns whether the act runs here: it was told to abort, and will report its end */
  abort(workflow: string, work: string): boolean {
    const running = this.#running.get(`${workflow}/${work}`);
    running?.abort(new Error('the call was cancelled'));
    return running !== undefined;
  }

  runs(workflow: string, work: string): boolean {
    return this.#running.has(`${workflow}/${work}`);
  }

  get running(): number {
    return this.#running.size;
  }

  async #lane({ workflow, lane }: LaneJob, signal: AbortSignal): Promise<void> {
    for (let on = true; on && !this.#closing && !signal.aborted; ) {
      const row = await this.#port.load(workflow);
      const work = Object.values(row?.works ?? {}).find((open) => open.lane === lane);
      if (row === undefined || work === undefined || this.runs(workflow, work.id)) return;
      on = await this.#run(row, work, signal);
    }
  }

  /** @returns whether the lane may go on: the result was taken */
  async #run(row: WorkflowRow, work: Work, signal: AbortSignal): Promise<boolean> {
    const key = `${row.id}/${work.id}`;
    const abort = new AbortController();
    this.#running.set(key, abort);
    try {
      const report = await this.#act(row, work, AbortSignal.any([signal, abort.signal]));
      if (report === undefined || (this.#closing && abort.signal.aborted)) return false;
      const lane = signal.aborted ? {} : { lane: work.lane as string };
      return await this.#report(row.id, { ...report, work: work.id, ...lane });
    } finally {
      this.#running.delete(key);
    }
  }

  /** A result is not given up because a store is away: it is told again until it is saved, or the daemon stops. */
  async #report(id: string, message: WorkflowMessage): Promise<boolean> {
    for (let waitMs = REPORT_AGAIN_MS; ; waitMs = Math.min(waitMs * 2, REPORT_AGAIN_MAX_MS)) {
      try {
        return (await this.#port.tell.workflow(id, message))?.changed ?? false;
      } catch (error) {
        this.#port.failed(id, error);
        if (this.#closing) return false;
        await setTimeout(waitMs, undefined, { ref: false });
      }
    }
  }

  async #act(row: WorkflowRow, work: Work, signal: AbortSignal): Promise<Report | undefined> {
    if (work.aborting) return { type: 'work.failed', error: flatten(cancelled) };
    const graph = await this.#port.pinned(row.definitionHash);
    const task = taskOf(graph, row, work);
    const scope = this.#scope(row, work, signal);
    if (task.recovery === 'idempotent') return outcome(() => runAct(task, work, scope));
    return this.#once(row, work, task, scope);
  }

  async #once(row: WorkflowRow, work: Work, task: Task, scope: ActScope<unknown>): Promise<Report | undefined> {
    if (work.claim !== undefined && work.claim !== this.#port.id) {
      const found = await probe(task, scope);
      if (found !== 'never-started') return found;
    }
    const over = work.claim === undefined ? {} : { over: work.claim };
    const claim = { type: 'work.claim', work: work.id, by: this.#port.id, ...over } as const;
    const told = await this.#port.tell.workflow(row.id, claim);
    // Somebody else was first, or the call was cancelled meanwhile: not ours to run.
    if (told?.row.works[work.id]?.claim !== this.#port.id) return undefined;
    return outcome(() => runAct(task, work, scope));
  }

  #scope(row: WorkflowRow, work: Work, signal: AbortSignal): ActScope<unknown> {
    return {
      input: work.input,
      signal,
      workId: `${row.id}/${work.id}`,
      attempt: work.attempt,
      nodeId: row.node,
      world: this.#port.world,
    };
  }

  /**
   * Takes no more lanes and lets the acts in hand end.
   * @param patienceMs after it, acts are told to abort and left: an idempotent one runs again at the next start
   */
  async close(patienceMs: number): Promise<void> {
    this.#closing = true;
    const timer = globalThis.setTimeout(() => {
      for (const running of this.#running.values()) running.abort(new Error('the daemon stops'));
    }, patienceMs);
    await this.#consumer?.close();
    clearTimeout(timer);
  }
}

const cancelled = {
  name: 'NodewrightError',
  message: 'the call was cancelled before it began',
  code: 'TASK_CANCELLED',
};

function taskOf(graph: Graph, row: WorkflowRow, work: Work): Task {
  const label = row.cells[taskKey(work.call)]?.label;
  const task = label === undefined ? undefined : graph.labels.get(label)?.task;
  if (task === undefined) throw new Error(`${graph.name}: no task for ${work.id} (${label})`);
  return task;
}

async function runAct(task: Task, work: Work, scope: ActScope<unknown>): Promise<unknown> {
  const logic = (task.machine.implementations.actors as Record<string, unknown>)[work.src];
  return plain(await actFunction(logic)(scope));
}

async function outcome(run: () => Promise<unknown>): Promise<Report> {
  try {
    return { type: 'work.done', output: await run() };
  } catch (error) {
    return { type: 'work.failed', error: flatten(error) };
  }
}

async function probe(task: Task, scope: ActScope<unknown>): Promise<Report | 'never-started'> {
  const interrupted = {
    name: 'NodewrightError',
    message: 'the process that ran this task died; whether it took effect is unknown, and it may not run twice',
    code: 'TASK_INTERRUPTED',
    retry: false as const,
  };
  if (task.probe === undefined) return { type: 'work.failed', error: interrupted };
  const found = await outcome(() => (task.probe as NonNullable<Task['probe']>)(scope));
  if (found.type === 'work.failed') return found;
  const { state, output } = found.output as { state: string; output?: unknown };
  if (state === 'never-started') return 'never-started';
  return state === 'done' ? { type: 'work.done', output: plain(output) } : { type: 'work.failed', error: interrupted };
}
