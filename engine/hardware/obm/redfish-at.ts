/** A Redfish service as activities use it: through the circuit breaker of its BMC, in a shared session. */
import { setTimeout } from 'node:timers/promises';
import { ObmError, type Redfish, type RedfishCommand, type RedfishProgress } from '../../define/obm.ts';
import { listIn, objectIn, property } from '../../vocabulary/json.ts';
import type { Commit } from './commit.ts';
import type { RedfishLimits } from './driver.ts';
import type { Answer } from './redfish-answer.ts';
import type { Resource } from './redfish-resource.ts';
import type { ReadStream, RedfishRequest, RedfishTarget } from './session.ts';

/** Whether a command was sent before is decided by the one that sends: the driver awaits `commit` before it sends. */
export interface RedfishDriver extends Omit<Redfish, 'command'> {
  /** Resolves when the BMC, or `readStream`, ends the stream. @throws ObmError; the reason of the signal */
  follow(path: string, signal: AbortSignal, readStream: ReadStream): Promise<void>;
  command(request: RedfishCommand, signal: AbortSignal, commit: Commit): Promise<string | null>;
}

export class RedfishAt implements RedfishDriver {
  readonly system: string | undefined;
  readonly #target: RedfishTarget;
  readonly #limits: RedfishLimits;

  /** @param system path of the ComputerSystem; undefined: the obm does not name it */
  constructor(target: RedfishTarget, system: string | undefined, limits: RedfishLimits) {
    this.#target = target;
    this.system = system;
    this.#limits = limits;
  }

  get origin(): string {
    return this.#target.origin;
  }

  async ask(request: RedfishRequest, signal: AbortSignal): Promise<Resource> {
    return bodyOf(await this.#answer(request, signal));
  }

  /** Not through the circuit breaker: its places are for requests, and a stream lasts for days. */
  async follow(path: string, signal: AbortSignal, readStream: ReadStream): Promise<void> {
    const { sessions, note } = this.#limits;
    const headers = { accept: 'text/event-stream' };
    const request = { method: 'GET', path, headers, readStream } as const;
    await sessions.use(this.#target, note, (session) => session.ask(request, signal));
  }

  async finish(request: RedfishRequest, signal: AbortSignal): Promise<Resource> {
    const what = `${request.method} ${request.path}`;
    let answer = await this.#answer(request, signal);
    let monitor = this.#monitorIn(answer);
    while (isUnfinished(answer)) {
      if (monitor === undefined) {
        throw new ObmError('OBM_FAILED', `${what}: the BMC answered 202 without naming a task (DSP0266, 13.6)`);
      }
      await setTimeout(pauseMs(answer), undefined, { signal });
      answer = await this.#answer({ method: 'GET', path: monitor }, signal);
      monitor = this.#monitorIn(answer) ?? monitor;
    }
    return endedTask(what, bodyOf(answer));
  }

  async command(command: RedfishCommand, signal: AbortSignal, commit: Commit): Promise<string | null> {
    const answer = await this.#answer({ method: 'POST', commit, ...command }, signal);
    return this.#monitorIn(answer) ?? taskIn(answer) ?? null;
  }

  async progress(monitor: string, signal: AbortSignal): Promise<RedfishProgress> {
    const answer = await this.#answer({ method: 'GET', path: monitor }, signal);
    const { TaskState: state, PercentComplete: percent } = bodyOf(answer);
    const progress = {
      state: typeof state === 'string' ? state.slice(0, TEXT_LENGTH) : 'Running',
      percent: typeof percent === 'number' ? percent : null,
    };
    if (isUnfinished(answer)) return { ...progress, ended: false };
    endedTask(`task ${monitor}`, bodyOf(answer));
    return { ...progress, state: 'Completed', ended: true };
  }

  /** Returns the path of the task's monitor, without the origin: BMCs may use a host name of their own. */
  #monitorIn({ status, headers: { location } }: Answer): string | undefined {
    if (status !== 202 || typeof location !== 'string') return undefined;
    const { pathname, search } = new URL(location, this.origin);
    return pathname + search;
  }

  /** Each request passes the circuit breaker separately, so that others can run during a long task. */
  #answer(request: RedfishRequest, signal: AbortSignal): Promise<Answer> {
    const { breakers, sessions, note } = this.#limits;
    return breakers.run(this.origin, signal, () =>
      sessions.use(this.#target, note, (session) => session.ask(request, signal)),
    );
  }
}

const TEXT_LENGTH = 300;
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

const bodyOf = ({ body }: Answer): Resource => objectIn(body);

/** Returns the wait before the next request: Retry-After, in seconds, or the default. */
function pauseMs({ headers: { 'retry-after': retryAfter } }: Answer): number {
  const seconds = Number(retryAfter);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1_000, LONGEST_PAUSE_MS) : PAUSE_MS;
}

const unfinished = new Set(['New', 'Starting', 'Running', 'Pending', 'Suspended', 'Stopping']);

/** Some services answer a command with its task, and name no monitor. */
function taskIn({ body }: Answer): string | undefined {
  const path = property(body, '@odata.id');
  return typeof path === 'string' && typeof property(body, 'TaskState') === 'string' ? path : undefined;
}

/**
 * A monitor answers 202 until the end; some services answer with the task itself (Task, DSP2046) and its state instead.
 */
const isUnfinished = (answer: Answer): boolean =>
  answer.status === 202 || unfinished.has(String(bodyOf(answer).TaskState));

/** @throws ObmError if the body is a task that failed */
function endedTask(what: string, body: Resource): Resource {
  const { TaskState: state = 'Completed', TaskStatus: status = 'OK', Messages: messages } = body;
  if (state === 'Completed' && status !== 'Critical') return body;
  const said = problemsIn(listIn(messages)).slice(0, TEXT_LENGTH);
  const why = said === '' ? '' : `: ${said}`;
  const message = `${what}: its task ended as ${String(state)}, ${String(status)}${why}`;
  throw new ObmError('OBM_FAILED', message, { retry: false });
}

/** The messages of a task that report problems, else the last one: a task may end with one that only says so. */
function problemsIn(messages: readonly unknown[]): string {
  const problems = messages.filter((one) =>
    ['Warning', 'Critical'].includes(String(property(one, 'MessageSeverity') ?? property(one, 'Severity'))),
  );
  return (problems.length === 0 ? messages.slice(-1) : problems)
    .map((one) => property(one, 'Message'))
    .filter((text) => typeof text === 'string')
    .join(' ');
}
