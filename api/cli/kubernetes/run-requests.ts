/**
 * Serves the requests of a cluster until a signal, or until nothing more can be done now.
 *
 * 1. The servers are listed and watched; each change of one is looked at, and each server that is taken at an interval.
 * 2. A step that meets a newer version of its server (409) reads it, and is made again.
 * 3. An outage of either side is waited for with growing pauses. The step is repeated, which is harmless.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { JsonObject } from '../../../engine/vocabulary/json.ts';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import { isPassing } from '../api-error.ts';
import { type AdvanceOptions, advance, type ServerCluster, type Step } from './advance-server.ts';
import { annotationText } from './annotations.ts';
import { DueServers } from './due-servers.ts';
import { followObjects, isOutage } from './follow-objects.ts';
import { KubernetesError } from './kubernetes-error.ts';
import { listPath, type ParkedServer, serverOf } from './parked-server.ts';
import { rowOf, type ServerRow } from './server-rows.ts';

export interface ServerSelection {
  /** Undefined: all. */
  namespace: string | undefined;
  /** A selector of labels; undefined: all. */
  selector: string | undefined;
}

export interface RunRequest extends ServerSelection {
  advance: AdvanceOptions;
  /** Whether it ends when each server that asks is returned, is skipped or stays parked. */
  endsWhenSettled: boolean;
  pollMs: number;
  /** A row that differs from the one before of its server. */
  show(row: ServerRow): void;
  /** A line about the connections. */
  note(text: string): void;
}

const PARALLEL = 4;
/** A server that is skipped may be taken later although it has not changed, when its node is free. */
const SETTLED_POLL_MS = 30_000;
const FIRST_STEP_PAUSE_MS = 1_000;
const LONGEST_STEP_PAUSE_MS = 60_000;

export const labelQuery = ({ selector }: ServerSelection): Record<string, string> =>
  selector === undefined ? {} : { labelSelector: selector };

/** @returns the last row of each server, by name @throws an error that a repetition cannot help, and any error of the first step */
export async function runRequests(cluster: ServerCluster, request: RunRequest): Promise<ServerRow[]> {
  const stop = new AbortController();
  const signal = AbortSignal.any([cluster.signal, stop.signal]);
  const loop = new RequestLoop({ ...cluster, signal }, request);
  const ends = [loop.follow(), loop.serve().finally(() => stop.abort())];
  try {
    await Promise.all(ends);
  } finally {
    stop.abort();
    await Promise.allSettled(ends);
  }
  return loop.rows;
}

class RequestLoop {
  readonly #cluster: ServerCluster;
  readonly #request: RunRequest;
  readonly #servers = new DueServers<ParkedServer>();
  readonly #steps = new Map<string, Pick<Step, 'row' | 'isSettled'>>();
  #hasSucceeded = false;
  #pauseMs = FIRST_STEP_PAUSE_MS;

  constructor(cluster: ServerCluster, request: RunRequest) {
    this.#cluster = cluster;
    this.#request = request;
  }

  get rows(): ServerRow[] {
    return [...this.#steps.values()].map(({ row }) => row).sort((one, other) => (one.server < other.server ? -1 : 1));
  }

  async follow(): Promise<void> {
    const { kubernetes, operator, signal } = this.#cluster;
    const path = listPath(operator, this.#request.namespace);
    let isAway = false;
    for await (const followed of followObjects(kubernetes, path, labelQuery(this.#request), signal)) {
      if (followed.kind === 'away') {
        if (!isAway) this.#request.note(`no connection to Kubernetes, tries again: ${followed.reason}`);
        isAway = true;
        continue;
      }
      if (isAway) this.#request.note('connected to Kubernetes again');
      isAway = false;
      if (followed.kind === 'listed')
        this.#servers.replaceAll(followed.objects.flatMap((object) => this.#entryOf(object)));
      else
        for (const [name, server] of this.#entryOf(followed.object)) {
          if (followed.kind === 'changed') this.#servers.set(name, server);
          else this.#forget(name);
        }
    }
  }

  async serve(): Promise<void> {
    const { signal } = this.#cluster;
    const limit = pLimit(PARALLEL);
    for (;;) {
      await this.#servers.some(signal);
      const due = this.#servers.take(Date.now() + SETTLED_POLL_MS);
      const results = await Promise.allSettled(due.map(([name, server]) => limit(() => this.#step(name, server))));
      signal.throwIfAborted();
      const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
      if (failures.length > 0) await this.#pause(failures, due);
      else this.#resume();
      const isSettled = !this.#servers.hasDue && [...this.#steps.values()].every((step) => step.isSettled);
      if (failures.length === 0 && this.#request.endsWhenSettled && isSettled) return;
    }
  }

  #entryOf(object: JsonObject): [string, ParkedServer][] {
    const server = serverOf(this.#cluster.operator, object);
    return server === undefined ? [] : [[server.path, server]];
  }

  #forget(path: string): void {
    this.#servers.delete(path);
    this.#steps.delete(path);
  }

  async #step(path: string, server: ParkedServer): Promise<void> {
    try {
      const step = await advance(this.#cluster, server, this.#request.advance);
      if (step === undefined) {
        // The result of a server that was given back stays a row.
        if (this.#steps.get(path)?.row.state === 'skipped') this.#steps.delete(path);
        this.#servers.postpone(path, server, Number.POSITIVE_INFINITY);
        return;
      }
      this.#conclude(path, step);
      for (const [name, changed] of step.object === undefined ? [] : this.#entryOf(step.object))
        this.#servers.set(name, changed, step.isSettled ? Date.now() + SETTLED_POLL_MS : 0);
      if (step.object === undefined)
        this.#servers.postpone(path, server, Date.now() + (step.isSettled ? SETTLED_POLL_MS : this.#request.pollMs));
    } catch (error) {
      if (!(error instanceof KubernetesError)) throw error;
      if (error.code === 'KUBERNETES_CONFLICT') await this.#readAgain(path);
      else if (error.code === 'KUBERNETES_REJECTED')
        this.#conclude(path, { row: rowOf(server, 'skipped', annotationText(error.message)), isSettled: true });
      else throw error;
    }
  }

  #conclude(path: string, { row, isSettled }: Step): void {
    const before = this.#steps.get(path)?.row;
    this.#steps.set(path, { row, isSettled });
    if (before?.state !== row.state || before.details !== row.details) this.#request.show(row);
  }

  async #readAgain(path: string): Promise<void> {
    try {
      for (const [name, server] of this.#entryOf(await this.#cluster.kubernetes.get(path)))
        this.#servers.set(name, server);
    } catch (error) {
      if (!(error instanceof KubernetesError && error.code === 'KUBERNETES_REJECTED')) throw error;
      this.#forget(path);
    }
  }

  async #pause(failures: readonly unknown[], due: readonly (readonly [string, ParkedServer])[]): Promise<void> {
    const fatal = failures.find((error) => !this.#hasSucceeded || !isRepeatable(error));
    if (fatal !== undefined) throw fatal;
    if (this.#pauseMs === FIRST_STEP_PAUSE_MS) this.#request.note(`tries again: ${messageOf(failures[0])}`);
    await sleep(this.#pauseMs * (0.5 + Math.random()), undefined, { signal: this.#cluster.signal });
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_STEP_PAUSE_MS);
    for (const [path, server] of due) this.#servers.postpone(path, server, 0);
  }

  #resume(): void {
    if (this.#pauseMs > FIRST_STEP_PAUSE_MS) this.#request.note('the exchange works again');
    this.#pauseMs = FIRST_STEP_PAUSE_MS;
    this.#hasSucceeded = true;
  }
}

const isRepeatable = (error: unknown): boolean =>
  error instanceof KubernetesError ? isOutage(error) : isPassing(error);
