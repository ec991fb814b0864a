/**
 * A client of the daemons: asks the running ones in turn, retries without a good answer, and checks every answer: it
 * must come in time, and never be 5xx except 503 with Retry-After.
 */
import { setTimeout } from 'node:timers/promises';
import type { Answer } from '../support/servers/api.ts';
import type { Findings } from './findings.ts';
import type { Member } from './member.ts';

export interface Question {
  method: string;
  path: string;
  body?: unknown;
  southbound?: true;
}

const ANSWER_MS = 10_000;
const AGAIN_MS = 100;

export class Client {
  readonly #members: readonly Member[];
  readonly #findings: Findings;
  #turn = 0;
  /** ms; of a daemon without a fault during the request. */
  slowestMs = 0;
  slowest = '';
  answers = 0;

  constructor(members: readonly Member[], findings: Findings) {
    this.#members = members;
    this.#findings = findings;
  }

  /** Returns undefined without an answer: the request may have been processed or not. */
  async ask(question: Question): Promise<Answer | undefined> {
    const up = this.#members.filter((member) => member.up);
    this.#turn += 1;
    const member = up[this.#turn % Math.max(1, up.length)];
    if (member === undefined) return undefined;
    const { disturbed } = member;
    const { method, path, body, southbound } = question;
    const at = performance.now();
    const send = southbound ? member.process.southbound : member.process.api;
    const answer = await send(method, path, body).catch((error: Error) => error);
    const calm = member.disturbed === disturbed;
    if (calm) this.#time(performance.now() - at, `${method} ${path} of ${member.name}`);
    return this.#seen(answer, calm, `${method} ${path} of ${member.name}`);
  }

  #seen(answer: Answer | Error, calm: boolean, what: string): Answer | undefined {
    if (answer instanceof Error) {
      if (calm) this.#findings.add('broken', `${what}: ${answer} ${answer.cause ?? ''}, without a fault`);
      return undefined;
    }
    this.answers += 1;
    const { status, headers, body } = answer;
    if (status >= 500 && !(status === 503 && headers.get('retry-after') !== null)) {
      this.#findings.add('broken', `${what}: ${status} ${JSON.stringify(body)}`);
    }
    return answer;
  }

  #time(ms: number, what: string): void {
    if (ms > ANSWER_MS) this.#findings.add('late', `${what} took ${Math.round(ms)} ms`);
    if (ms > this.slowestMs) [this.slowestMs, this.slowest] = [ms, what];
  }

  /**
   * Retries until one of these statuses is answered.
   * @param ms timeout
   * @returns undefined: none of them within that time; `asked`: number of attempts, to recognize a first answer
   */
  async insist(question: Question, statuses: readonly number[], ms: number) {
    let last: Answer | undefined;
    for (let [asked, until] = [1, Date.now() + ms]; Date.now() < until; asked += 1) {
      const answer = await this.ask(question);
      if (answer !== undefined && statuses.includes(answer.status)) return { ...answer, asked };
      last = answer ?? last;
      await setTimeout(AGAIN_MS);
    }
    const told = last === undefined ? 'no answer' : `${last.status} ${JSON.stringify(last.body)}`;
    this.#findings.add('lost', `${question.method} ${question.path} for ${ms} ms: ${told}`);
    return undefined;
  }
}
