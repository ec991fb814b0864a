/** The requests of an agent: with the key of its boot, and the time limit of its script. A lost answer has the status 0. */
import { isObject, listIn, objectIn } from '../../../vocabulary/json.ts';
import { messageOf } from '../../../vocabulary/thrown-values.ts';
import type { Machine, SouthAnswer } from '../machine/twin-machine.ts';

/** Longer than a daemon takes to answer a poll. */
const EXCHANGE_MS = 45_000;
/** The pause of an agent's script between two tries, in field time. */
export const AGENT_PAUSE_MS = 5_000;
/** The same in time of the host. */
export const AGENT_LEAST_MS = 500;

interface DaemonAddress {
  /** The base of the routes, such as `http://127.0.0.1:9080/api/current`. */
  api: string;
  /** '' without one. */
  key: string;
}

export class AgentExchange {
  readonly #machine: Machine;
  readonly #daemon: DaemonAddress;
  readonly #signal: AbortSignal;
  #lastProblem = '';

  constructor(machine: Machine, daemon: DaemonAddress, signal: AbortSignal) {
    this.#machine = machine;
    this.#daemon = daemon;
    this.#signal = signal;
  }

  get(path: string): Promise<SouthAnswer> {
    return this.#ask({ method: 'GET', path });
  }

  post(path: string, body: unknown): Promise<SouthAnswer> {
    return this.#ask({ method: 'POST', path, body });
  }

  async #ask({ method, path, body }: { method: 'GET' | 'POST'; path: string; body?: unknown }): Promise<SouthAnswer> {
    const { api, key } = this.#daemon;
    const asking = {
      method,
      url: `${api}${path}`,
      timeoutMs: EXCHANGE_MS,
      ...(key !== '' && { headers: { 'x-nodewright-key': key } }),
      ...(body !== undefined && { body }),
    };
    try {
      const answer = await this.#machine.around.ask(this.#machine, asking, this.#signal);
      this.#lastProblem = '';
      return answer;
    } catch (error) {
      this.#signal.throwIfAborted();
      this.#report(messageOf(error));
      return { status: 0, text: '' };
    }
  }

  /** The same problem is reported once: a daemon may be away for long. */
  #report(problem: string): void {
    if (problem !== this.#lastProblem) this.#machine.around.tell(this.#machine, problem);
    this.#lastProblem = problem;
  }
}

/** The commands of an answer in JSON: none in another answer. */
export function assignmentIn(text: string): { assignment: Record<string, unknown>; tasks: Record<string, unknown>[] } {
  const assignment = parsedObject(text);
  return { assignment, tasks: listIn(assignment.tasks).filter(isObject) };
}

function parsedObject(text: string): Record<string, unknown> {
  try {
    return objectIn(JSON.parse(text));
  } catch {
    return {};
  }
}
