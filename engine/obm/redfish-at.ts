/** A Redfish service as activities use it: through the circuit breaker of its BMC, in a shared session. */
import { setTimeout } from 'node:timers/promises';
import { listIn, objectIn, property } from '../define/json.ts';
import { ObmError, type Redfish } from '../define/obm.ts';
import type { RedfishLimits } from './redfish.ts';
import type { Answer } from './redfish-answer.ts';
import type { Resource } from './redfish-resource.ts';
import type { RedfishRequest, RedfishTarget } from './session.ts';

export class RedfishAt implements Redfish {
  readonly #target: RedfishTarget;
  readonly #limits: RedfishLimits;

  constructor(target: RedfishTarget, limits: RedfishLimits) {
    this.#target = target;
    this.#limits = limits;
  }

  get origin(): string {
    return this.#target.origin;
  }

  async ask(request: RedfishRequest, signal: AbortSignal): Promise<Resource> {
    return bodyOf(await this.#answer(request, signal));
  }

  async finish(request: RedfishRequest, signal: AbortSignal): Promise<Resource> {
    let answer = await this.#answer(request, signal);
    let monitor = this.#placeOf(answer);
    while (isUnfinished(answer)) {
      if (monitor === undefined) {
        const what = `${request.method} ${request.path}`;
        throw new ObmError('OBM_FAILED', `${what}: the BMC answered 202 without naming a task (DSP0266, 13.6)`);
      }
      await setTimeout(pauseMs(answer), undefined, { signal });
      answer = await this.#answer({ method: 'GET', path: monitor }, signal);
      monitor = this.#placeOf(answer) ?? monitor;
    }
    return ended(request, bodyOf(answer));
  }

  /** Returns the path of the task's monitor, without the origin: BMCs may use a host name of their own. */
  #placeOf({ status, headers: { location } }: Answer): string | undefined {
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

const SHOWN = 300;
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

const bodyOf = ({ body }: Answer): Resource => objectIn(body);

/** Returns the wait before the next request: Retry-After, in seconds, or the default. */
function pauseMs({ headers: { 'retry-after': retryAfter } }: Answer): number {
  const seconds = Number(retryAfter);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1_000, LONGEST_PAUSE_MS) : PAUSE_MS;
}

const unfinished = new Set(['New', 'Starting', 'Running', 'Pending', 'Suspended', 'Stopping']);

/**
 * A monitor answers 202 until the end; some services answer with the task itself (Task, DSP2046) and its state instead.
 */
const isUnfinished = (answer: Answer): boolean =>
  answer.status === 202 || unfinished.has(String(bodyOf(answer).TaskState));

/** @throws ObmError if the body is a task that failed */
function ended({ method, path }: RedfishRequest, body: Resource): Resource {
  const { TaskState: state = 'Completed', TaskStatus: status = 'OK', Messages: messages } = body;
  if (state === 'Completed' && status !== 'Critical') return body;
  const said = property(listIn(messages).at(-1), 'Message');
  const why = typeof said === 'string' ? `: ${said.slice(0, SHOWN)}` : '';
  const message = `${method} ${path}: its task ended as ${String(state)}, ${String(status)}${why}`;
  throw new ObmError('OBM_FAILED', message, { retry: false });
}
