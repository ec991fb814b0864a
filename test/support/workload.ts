/** Work for daemons in tests of faults, and what is held against it afterwards: an outside ledger, not the engine's word. */
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import type { Answer } from './api.ts';
import type { DaemonProcess } from './daemon.ts';

/** The longest that an answer may take, whatever is away. */
export const ANSWER_MS = 10_000;
const LIMIT_MS = 90_000;

export async function lines(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

/** Resolves when the ledger has so many lines: what an act does outside can only be looked for. */
export async function written(ledger: string, count: number): Promise<void> {
  await seen(async () => (await lines(ledger)).length >= count);
}

/** Resolves with what the look gives as soon as that is something: outside of a daemon there is no event to wait for. */
export async function seen<T>(look: () => Promise<T | undefined | false>, limitMs = LIMIT_MS): Promise<T> {
  for (const until = Date.now() + limitMs; Date.now() < until; await setTimeout(50)) {
    const found = await look().catch(() => undefined);
    if (found) return found;
  }
  throw new Error(`it did not come true within ${limitMs} ms`);
}

/** Tasks one after the other, each with its instanceId in the ledger, and taking `ms`. */
export const chain = (injectableName: string, taskName: string, ledger: string, ms: number, count = 4) => ({
  friendlyName: injectableName,
  injectableName,
  tasks: Array.from({ length: count }, (_, n) => ({
    ...{ label: `t${n}`, taskName, optionOverrides: { ledger, ms, line: '{{ task.instanceId }}' } },
    ...(n === 0 ? {} : { waitOn: { [`t${n - 1}`]: 'succeeded' } }),
  })),
});

export async function launch({ api }: DaemonProcess, graph: string, options: object = {}): Promise<string> {
  for (const until = Date.now() + LIMIT_MS; Date.now() < until; ) {
    const { status, body } = await api('POST', `/workflows?name=${graph}`, { options });
    if (status === 201) return body.id;
    // The other daemons hear of a new definition a moment later.
    if (status !== 404) throw new Error(JSON.stringify(body));
    await setTimeout(50);
  }
  throw new Error(`${graph} cannot be launched`);
}

export interface Row {
  id: string;
  status: string;
  tasks: { state: string; output: Record<string, unknown> | null; error: { code: string } | null }[];
}

/** A store that is away meanwhile is waited for; a workflow that is not there is an error. */
export async function ended({ api }: DaemonProcess, id: string, limitMs = LIMIT_MS): Promise<Row> {
  let last: Answer | undefined;
  for (const until = Date.now() + limitMs; Date.now() < until; await setTimeout(50)) {
    last = await api('GET', `/workflows/${id}`);
    if (last.status === 404) throw new Error(`${id} was answered 201 and is not there`);
    if (last.status === 200 && !['pending', 'running'].includes(last.body.status)) return last.body as Row;
  }
  throw new Error(`${id} did not end: ${JSON.stringify(last?.body)}`);
}

/** Nothing died, so nothing was interrupted: all succeed, and each line was written once. */
export async function allSucceed(t: ExecutionContext, daemon: DaemonProcess, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const row = await ended(daemon, id);
    t.is(row.status, 'succeeded', JSON.stringify(row));
  }
}

export async function noneTwice(t: ExecutionContext, ledger: string): Promise<void> {
  const all = await lines(ledger);
  t.is(new Set(all).size, all.length, 'a once act ran twice');
}

export interface Answered extends Answer {
  what: string;
  /** How long the client waited. */
  ms: number;
}

/** Some dozens of workflows in an outage: more would only tell how slow the machine is. */
const PACE_MS = 750;

/** Clients that ask again and again, each its own question, whatever they are answered. */
export class Clients {
  readonly answers: Answered[] = [];
  readonly #done: Promise<unknown>;
  #stopped = false;

  /** @param asks by what they are; `n` counts from 0 */
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

/** The status as it should be, or 503 with Retry-After; never a hang. @returns the statuses that came, each once */
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
