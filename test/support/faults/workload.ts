/** Work for daemons in tests of faults, and checks against an external ledger instead of the engine's records. */
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { WAIT_MS } from '../ava/patience.ts';
import type { Answer } from '../servers/api.ts';
import type { DaemonProcess } from '../servers/daemon.ts';

/** Maximum time of an answer, during any outage. */
const ANSWER_MS = 10_000;

export async function lines(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

/** Resolves when the ledger has that many lines; side effects of activities can only be polled. */
export async function written(ledger: string, count: number): Promise<void> {
  await seen(async () => (await lines(ledger)).length >= count);
}

/** Polls until the result is truthy and resolves with it: outside a daemon there is no event to wait for. */
export async function seen<T>(look: () => Promise<T | undefined | false>, limitMs = WAIT_MS): Promise<T> {
  for await (const _ of looks(limitMs)) {
    const found = await look().catch(() => undefined);
    if (found) return found;
  }
  throw new Error(`the condition was not met within ${limitMs} ms`);
}

/** Yields when to look again: soon at first, later less often, because each look is work for the daemon that is tested. */
async function* looks(limitMs: number): AsyncGenerator<void> {
  let ms = 40;
  for (const until = Date.now() + limitMs; Date.now() < until; await setTimeout(ms)) {
    yield;
    ms = Math.min(ms * 1.2, 400);
  }
}

/** Tasks in sequence, each writing its instanceId to the ledger and taking `ms`. */
export const chain = (injectableName: string, taskName: string, ledger: string, ms: number, count = 4) => ({
  friendlyName: injectableName,
  injectableName,
  tasks: Array.from({ length: count }, (_, n) => ({
    label: `t${n}`,
    taskName,
    optionOverrides: { ledger, ms, line: '{{ task.instanceId }}' },
    ...(n === 0 ? {} : { waitOn: { [`t${n - 1}`]: 'succeeded' } }),
  })),
});

export async function launch({ api }: DaemonProcess, graph: string, options: object = {}): Promise<string> {
  for (const until = Date.now() + WAIT_MS; Date.now() < until; ) {
    const { status, body } = await api('POST', `/workflows?name=${graph}`, { options });
    if (status === 201) return body.id;
    // Other daemons load a new definition a moment later.
    if (status !== 404) throw new Error(JSON.stringify(body));
    await setTimeout(50);
  }
  throw new Error(`${graph} cannot be launched`);
}

export interface Row {
  id: string;
  status: string;
  error: { code: string; message: string } | null;
  tasks: { state: string; output: Record<string, unknown> | null; error: { code: string } | null }[];
}

/** Retries while the store is unavailable; a missing workflow is an error. */
export async function ended({ api }: DaemonProcess, id: string, limitMs = WAIT_MS): Promise<Row> {
  let last: Answer | undefined;
  for await (const _ of looks(limitMs)) {
    last = await api('GET', `/workflows/${id}`);
    if (last.status === 404) throw new Error(`${id} was answered 201 but does not exist`);
    if (last.status === 200 && !['pending', 'running'].includes(last.body.status)) return last.body as Row;
  }
  throw new Error(`${id} did not end: ${JSON.stringify(last?.body)}`);
}

/** Without a crash nothing is interrupted: all succeed, and each line was written once. */
export async function allSucceed(t: ExecutionContext, daemon: DaemonProcess, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const row = await ended(daemon, id);
    t.is(row.status, 'succeeded', JSON.stringify(row));
  }
}

export async function noneTwice(t: ExecutionContext, ledger: string): Promise<void> {
  const all = await lines(ledger);
  t.is(new Set(all).size, all.length, 'a once activity ran twice');
}

export interface Answered extends Answer {
  what: string;
  /** Time that the client waited. */
  ms: number;
}

/** Limits an outage to some dozens of workflows: more would only measure the machine. */
const PACE_MS = 750;

/** Clients that each repeat their own request, whatever the answers are. */
export class Clients {
  readonly answers: Answered[] = [];
  readonly #done: Promise<unknown>;
  #stopped = false;

  /** @param asks requests by name; `n` counts from 0 */
  constructor(asks: Record<string, (n: number) => Promise<Answer>>) {
    this.#done = Promise.all(Object.entries(asks).map(([what, ask]) => this.#ask(what, ask)));
  }

  async #ask(what: string, ask: (n: number) => Promise<Answer>): Promise<void> {
    for (let n = 0; !this.#stopped; n += 1) {
      const asked = performance.now();
      const answer = await ask(n);
      this.answers.push({ what, ms: performance.now() - asked, ...answer });
      await setTimeout(PACE_MS);
    }
  }

  async stop(): Promise<readonly Answered[]> {
    this.#stopped = true;
    await this.#done;
    return this.answers;
  }
}

/**
 * Checks that each status is expected, or 503 with Retry-After, within the time limit. @returns the distinct statuses
 */
export function checkAnswers(t: ExecutionContext, answers: readonly Answered[], good: readonly number[]): number[] {
  for (const { what, status, headers, body, ms } of answers) {
    const said = `${what}: ${status} after ${Math.round(ms)} ms ${JSON.stringify(body)}`;
    t.true(ms < ANSWER_MS, said);
    t.true(good.includes(status) || (status === 503 && Number(headers.get('retry-after')) > 0), said);
  }
  return [...new Set(answers.map(({ status }) => status))].sort();
}

export const idsOf = (answers: readonly Answered[]): string[] =>
  answers.flatMap(({ what, status, body }) => (what.startsWith('launch') && status === 201 ? [body.id as string] : []));
