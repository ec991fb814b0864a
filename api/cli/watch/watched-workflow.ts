/**
 * The state of a workflow while it is watched. The log of events says when to look; the record says what there is. So an
 * outage of the daemon or of the stream costs no more than a late look. Users who may not read events look every two seconds.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isActive } from '../../../engine/vocabulary/states.ts';
import { followEvents } from '../../client/follow-events.ts';
import type { GetAnswer } from '../../client/requests.ts';
import type { UsualTime } from '../../client/usual-time.ts';
import { ApiError, isPassing } from '../api-error.ts';
import type { Client } from '../client.ts';
import type { Workflow } from '../workflow-of.ts';

export type WhyAnswer = GetAnswer<'/workflows/:id/why'>;

export interface WatchState {
  workflow: Workflow;
  /** null: not wanted, or the workflow has ended. */
  why: WhyAnswer | null;
  /** Name of its node. */
  node: string | null;
  /** Usual duration of the graph. */
  usual: UsualTime | null;
  /** The reason why the daemon does not answer; null: it does. */
  away: string | null;
}

export interface Watching {
  signal: AbortSignal;
  /** Also reads why it waits. */
  explains: boolean;
  /** Called with each state that has been read. */
  show(state: WatchState): void;
}

/** ms between two looks without an event, as changes such as a pause have none. */
const IDLE_INTERVAL_MS = 5_000;
const POLL_MS = 2_000;

/** Resolves with the last state: at the end of the workflow, or when the signal is aborted. */
export async function watchWorkflow(client: Client, id: string, watching: Watching): Promise<WatchState> {
  const ended = new AbortController();
  const signal = AbortSignal.any([watching.signal, ended.signal]);
  const watched = await WatchedWorkflow.open(client, id, watching, () => ended.abort());
  await Promise.all([watched.follow(signal), watched.poll(signal)]).catch((error: unknown) => {
    ended.abort();
    throw error;
  });
  return watched.state;
}

class WatchedWorkflow {
  state: WatchState;
  readonly #client: Client;
  readonly #watching: Watching;
  readonly #ended: () => void;
  #everyMs = IDLE_INTERVAL_MS;
  #readAt = performance.now();
  #isStale = false;
  #reading: Promise<void> | undefined;

  private constructor(client: Client, state: WatchState, watching: Watching, ended: () => void) {
    this.#client = client;
    this.state = state;
    this.#watching = watching;
    this.#ended = ended;
  }

  static async open(client: Client, id: string, watching: Watching, ended: () => void): Promise<WatchedWorkflow> {
    const { body: workflow } = await client.get('/workflows/:id', { params: { id } });
    // A plan is a request of its own in the audit log: not for a pipe, which does not show it.
    const usually = watching.explains ? usualOf(client, workflow) : null;
    const [node, usual] = await Promise.all([nodeName(client, workflow), usually]);
    const state: WatchState = { workflow, why: null, node, usual, away: null };
    return new WatchedWorkflow(client, state, watching, ended);
  }

  /** Looks whenever there is an event of the workflow. */
  async follow(signal: AbortSignal): Promise<void> {
    const { id } = this.state.workflow;
    try {
      for await (const followed of followEvents(this.#client, { query: { typeId: id }, signal, isPatient: true })) {
        if (followed.kind === 'away') this.#show({ away: followed.reason });
        else if (followed.kind !== 'event' || followed.event.createdAt >= this.state.workflow.updatedAt)
          await this.#look();
      }
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 403)) throw error;
      this.#everyMs = POLL_MS;
    }
  }

  /** Looks whenever there was no event for a while. */
  async poll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const leftMs = this.#readAt + this.#everyMs - performance.now();
      if (leftMs <= 0) await this.#look();
      else await pause(Math.min(leftMs, POLL_MS), undefined, { signal }).catch(() => {});
    }
  }

  /** A look during a look makes one more, as it may have come too late for the first. */
  async #look(): Promise<void> {
    this.#isStale = true;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #read(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      this.#readAt = performance.now();
      try {
        await this.#update();
      } catch (error) {
        if (!isPassing(error)) throw error;
      }
    }
  }

  async #update(): Promise<void> {
    const params = { id: this.state.workflow.id };
    const { body: workflow } = await this.#client.get('/workflows/:id', { params });
    const explains = this.#watching.explains && isActive(workflow.status);
    const why = explains ? (await this.#client.get('/workflows/:id/why', { params })).body : null;
    this.#show({ workflow, why, away: null });
    if (!isActive(workflow.status)) this.#ended();
  }

  #show(change: Partial<WatchState>): void {
    this.state = { ...this.state, ...change };
    this.#watching.show(this.state);
  }
}

async function nodeName(client: Client, { node }: Workflow): Promise<string | null> {
  if (node === null) return null;
  const nodeRequest = client.get('/nodes/:identifier', { params: { identifier: node } });
  // It may have been deleted.
  return nodeRequest.then(({ body }) => body.name).catch(unlessPassing(node));
}

/** A user who may not launch has no plan. */
async function usualOf(client: Client, { injectableName: name, node }: Workflow): Promise<UsualTime | null> {
  const body = { name, ...(node !== null && { nodeId: node }) };
  return client
    .post('/workflows/plan', { body })
    .then(({ body: { usualMs } }) => usualMs)
    .catch(unlessPassing(null));
}

/** Takes another value instead of one that the daemon rejects. */
const unlessPassing =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof ApiError) return value;
    throw error;
  };
