/**
 * Rounds: whoever has the duty looks every few seconds, and when it is told of a change, for what is to be classified:
 * nodes with a change that was not told, fresh catalogs, all nodes when the SKUs have changed.
 *
 * 1. What is found untold or fresh in two looks in a row was left by somebody: until then whoever made it so is at it.
 * 2. No regeneration begins while a change of SKUs is under way; one that stays for `LONG` looks was left, and counts as
 *    made.
 */
import type { Duties } from '../peers/duties.ts';
import type { Collection } from '../store/port.ts';
import type { ClassifiedNode, Classifier } from './classifier.ts';
import type { Generation, Regeneration } from './generation.ts';
import { isDone, type RegenerationPort, regenerate } from './regeneration.ts';

/** A latest catalog that no classification has used yet. */
export interface FreshCatalog {
  id: string;
  version: number;
  node: string;
}

export interface FreshCatalogs {
  fresh(limit: number): Promise<FreshCatalog[]>;
  taken(catalogs: readonly FreshCatalog[]): Promise<void>;
}

export interface RoundsPort {
  nodes: Collection<ClassifiedNode>;
  catalogs: FreshCatalogs;
  generation: Generation;
  classifier: Classifier;
  duties: Duties;
  publish: RegenerationPort['publish'];
  everyMs: number;
  failed(error: unknown): void;
}

const DUTY = 'skus';
/** Left-overs seen to in a round. */
const LEFT = 100;
/** Rounds, 14 s and more: longer than any request takes, with all that it asks of the store. */
const LONG = 7;

export class Rounds {
  readonly #port: RoundsPort;
  /** What was found in the last look: how often in a row. */
  #found = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #pass: Promise<void> | undefined;
  /** Somebody asked during a pass. */
  #again = false;
  #closed = false;
  #state: Regeneration | undefined;

  constructor(port: RoundsPort) {
    this.#port = port;
  }

  /** The regeneration as this process saw it last. */
  get state(): Regeneration | undefined {
    return this.#state;
  }

  async start(): Promise<void> {
    this.#state = await this.#port.generation.read();
    this.soon();
    this.#timer = setInterval(() => this.#next(true), this.#port.everyMs);
  }

  /** Something changed. */
  soon(): void {
    this.#again = true;
    this.#next(false);
  }

  #next(looks: boolean): void {
    if (this.#closed) return;
    this.#pass ??= this.#run(looks)
      .catch(this.#port.failed)
      .finally(() => {
        this.#pass = undefined;
        if (this.#again) this.#next(false);
      });
  }

  /** @param looks for left-overs too */
  async #run(looks: boolean): Promise<void> {
    this.#again = false;
    const { generation, duties } = this.#port;
    const state = await generation.read();
    this.#state = state;
    if (!(await duties.take(DUTY))) return;
    if (looks) await this.#leftOvers(state.changing);
    if (state.changing.length > 0 || isDone(state)) return;
    await regenerate({ ...this.#port, goesOn: () => this.#goesOn(), seen: (at) => this.#see(at) }, state);
    // Ended by a change: there is more to do.
    if (!isDone(await generation.read())) this.#again = true;
  }

  async #goesOn(): Promise<boolean> {
    return !this.#closed && (await this.#port.duties.take(DUTY));
  }

  #see(state: Regeneration): void {
    this.#state = state;
  }

  async #leftOvers(changing: readonly string[]): Promise<void> {
    const { nodes, catalogs, classifier, generation } = this.#port;
    const untold = await nodes.find({ skuUntold: true }, { limit: LEFT });
    const fresh = await catalogs.fresh(LEFT);
    const before = this.#found;
    this.#found = new Map();
    const since = (key: string): number => {
      const times = (before.get(key) ?? 0) + 1;
      this.#found.set(key, times);
      return times;
    };
    const old = changing.filter((token) => since(`change ${token}`) >= LONG);
    const leftNodes = untold.filter(({ id, skuMove }) => since(`node ${id} ${skuMove?.number}`) > 1);
    const leftCatalogs = fresh.filter(({ id, version }) => since(`catalog ${id} ${version}`) > 1);
    if (old.length > 0) await generation.forget(old);
    await classifier.byId([...leftNodes.map(({ id }) => id), ...leftCatalogs.map(({ node }) => node)]);
    await catalogs.taken(leftCatalogs);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#pass;
  }
}
