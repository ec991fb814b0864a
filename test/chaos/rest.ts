/** Workflows that no loop follows: those that did not end in time, and those whose launch had no answer. */
import { CALM_MS, type Life } from './life.ts';
import { pause } from './member.ts';
import type { Scene } from './scene.ts';

const EVERY_MS = 20_000;
/** Longer than a client waits for the answer to its launch: an unknown workflow of this age has no client. */
const OLD_MS = 120_000;
const LIST_MS = 30_000;
/** The maximum of a list page, and more than a campaign leaves. */
const LISTED = 1_000;

interface Listed {
  id: string;
  createdAt: string;
}

export class Rest {
  readonly #scene: Scene;
  readonly #life: Life;

  constructor(scene: Scene, life: Life) {
    this.#scene = scene;
    this.#life = life;
  }

  /** Periodically settles ended workflows, so that the store stays small. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await pause(EVERY_MS, signal);
      if (signal.aborted) return;
      const old = new Date(Date.now() - OLD_MS).toISOString();
      const ended = await this.#list('&active=false');
      for (const { id } of ended.filter(({ createdAt }) => createdAt < old)) await this.#settle(id, LIST_MS);
    }
  }

  /** Settles all; a workflow that does not end now is lost. */
  async finish(): Promise<void> {
    const { overdue, deleted } = this.#life;
    const answered = new Set(overdue);
    const ids = [...answered, ...(await this.#list('')).map(({ id }) => id)];
    // Before further deletions: a child is deleted with its parent.
    for (const id of ids.filter((one) => deleted.has(one))) {
      this.#scene.findings.add('untrue', `${id} was deleted but still exists: ${await this.#life.evidence(id)}`);
    }
    const until = Date.now() + CALM_MS;
    for (const id of new Set(ids)) {
      if (await this.#settle(id, Math.max(1_000, until - Date.now()))) continue;
      const how = answered.has(id) ? 'whose client had all answers' : 'whose launch had no answer';
      this.#scene.findings.add('lost', `${id}, ${how}, did not end: ${await this.#life.evidence(id)}`);
    }
  }

  async #list(which: string): Promise<Listed[]> {
    const path = `/workflows?$top=${LISTED}${which}`;
    const answer = await this.#scene.client.insist({ method: 'GET', path }, [200], LIST_MS);
    return (answer?.body ?? []) as Listed[];
  }

  /** Returns false when it did not end in time. */
  async #settle(id: string, ms: number): Promise<boolean> {
    const { known, overdue } = this.#life;
    // Another loop follows it, or it was already reported.
    if (known.has(id) && !overdue.has(id)) return true;
    known.add(id);
    return this.#life.settle(id, ms);
  }
}
