/**
 * Times of workflow events, taken from the events that the engine publishes. The event's own time is used, so it does
 * not matter when the caller asks, nor that a short workflow may end before its launch is answered.
 */
import type { RunningEngine } from '../../engine/index.ts';

/** The engine, or another source of its events. */
export type Told = Pick<RunningEngine, 'listen'>;

interface GraphEvent {
  type: string;
  action: string;
  typeId: string;
  data: { status: string; taskProgress?: { label: string; state: string } };
}

export class Watch {
  readonly #seen = new Map<string, number>();
  readonly #asked = new Map<string, (at: number) => void>();
  readonly stop: () => void;

  constructor(told: Told) {
    this.stop = told.listen(({ body }) => this.#take(body as GraphEvent));
  }

  /** Returns the time when the workflow succeeded, on performance's clock. */
  succeeded(workflow: string): Promise<number> {
    return this.#at(`${workflow} succeeded`);
  }

  /** Returns the time when the task with this label began to wait. */
  waiting(workflow: string, label: string): Promise<number> {
    return this.#at(`${workflow} ${label}`);
  }

  #at(key: string): Promise<number> {
    const seen = this.#seen.get(key);
    this.#seen.delete(key);
    if (seen !== undefined) return Promise.resolve(seen);
    return new Promise((resolve) => this.#asked.set(key, resolve));
  }

  #take({ type, action, typeId, data }: GraphEvent): void {
    if (type !== 'graph') return;
    if (action === 'finished' && data.status !== 'succeeded') failLoudly(`${typeId} ended ${data.status}`);
    if (action === 'finished') this.#tell(`${typeId} ${data.status}`);
    else if (data.taskProgress?.state === 'waiting') this.#tell(`${typeId} ${data.taskProgress.label}`);
  }

  #tell(key: string): void {
    const at = performance.now();
    const asked = this.#asked.get(key);
    this.#asked.delete(key);
    if (asked === undefined) this.#seen.set(key, at);
    else asked(at);
  }
}

/** Throws outside the engine's callbacks: failed workflows must not be measured. */
const failLoudly = (message: string) =>
  setImmediate(() => {
    throw new Error(message);
  });
