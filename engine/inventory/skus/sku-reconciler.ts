/**
 * Every few seconds, and after each change, the lease holder looks for work: nodes that have to be classified again,
 * unprocessed catalogs, and all nodes when the SKUs have changed.
 *
 * 1. A record found in two passes in a row was abandoned; until then, the process that wrote it is still working on it.
 * 2. No regeneration starts while a change of SKUs is running; a change found in `LONG` passes was abandoned, and is
 *    treated as made.
 * 3. A record that cannot be processed delays no other, and is tried again every `LONG` passes.
 */
import type { Reconciler, Round } from '../../platform/lib/reconciler.ts';
import { togetherOrAlone } from '../../platform/lib/together-or-alone.ts';
import type { Classifier } from './classifier.ts';
import type { Generation, Regeneration } from './generation.ts';
import { isRegenerated, regenerate } from './regeneration.ts';
import type { SkusPort } from './skus-port.ts';

const PASS_INTERVAL_MS = 2_000;
/** Limit of abandoned records processed in one pass. */
const LEFT = 100;
const MOST_READ = 10 * LEFT;
/** Passes after which a record was abandoned: its first attempt. */
const TRIED = 2;
/** Passes, 14 s and more: longer than any request takes, with all of its store operations. */
const LONG = 7;

export class SkuReconciler {
  readonly #port: SkusPort;
  readonly #generation: Generation;
  readonly #classifier: Classifier;
  readonly #reconciler: Reconciler<'change'>;
  /** How many passes in a row have found a record, for those found in the last pass. */
  #passCounts = new Map<string, number>();
  #state: Regeneration | undefined;

  constructor(port: SkusPort, generation: Generation, classifier: Classifier) {
    this.#port = port;
    this.#generation = generation;
    this.#classifier = classifier;
    this.#reconciler = port.cluster.reconciler<'change'>({
      name: 'skus',
      everyMs: port.everyMs ?? PASS_INTERVAL_MS,
      local: async () => void (await this.#read()),
      pass: (round) => this.#run(round),
      failed: port.failed,
    });
  }

  /** The regeneration as this process saw it last. */
  get state(): Regeneration | undefined {
    return this.#state;
  }

  async start(): Promise<void> {
    await this.#read();
    this.request();
    this.#reconciler.start();
  }

  /** Requests a pass because something changed. */
  request(): void {
    void this.#reconciler.request('change');
  }

  async #run({ requests, goesOn }: Round<'change'>): Promise<void> {
    const state = await this.#read();
    if (requests.size === 0) await this.#leftOvers(state.changing);
    if (state.changing.length > 0 || isRegenerated(state)) return;
    const noteSeen = (at: Regeneration) => this.#see(at);
    await regenerate(this.#port, this.#generation, this.#classifier, state, { goesOn, seen: noteSeen });
    // Interrupted by a change: more nodes are to be classified.
    if (!isRegenerated(await this.#read())) this.request();
  }

  async #read(): Promise<Regeneration> {
    this.#state = await this.#generation.read();
    return this.#state;
  }

  #see(state: Regeneration): void {
    this.#state = state;
  }

  async #leftOvers(changing: readonly string[]): Promise<void> {
    const { nodes, catalogs } = this.#port;
    const before = this.#passCounts;
    // Records that could not be processed take no places of others.
    const limit = Math.min(MOST_READ, LEFT + [...before.values()].filter((times) => times >= TRIED).length);
    const unsettled = await nodes.find({ skuPending: true }, { limit });
    const unprocessed = await catalogs.unprocessedCatalogs(limit);
    this.#passCounts = new Map();
    const since = (key: string): number => {
      const times = (before.get(key) ?? 0) + 1;
      this.#passCounts.set(key, times);
      return times;
    };
    const old = changing.filter((token) => since(`change ${token}`) >= LONG);
    const isTime = (times: number) => times === TRIED || times % LONG === 0;
    const leftNodes = unsettled.filter(({ id, skuMove }) => isTime(since(`node ${id} ${skuMove?.number}`)));
    const leftCatalogs = unprocessed.filter(({ id, version }) => isTime(since(`catalog ${id} ${version}`)));
    if (old.length > 0) await this.#generation.forget(old);
    await this.#classifier.byId([...leftNodes.map(({ id }) => id), ...leftCatalogs.map(({ node }) => node)]);
    const errors = await togetherOrAlone(leftCatalogs, async (some) => {
      await this.#port.describe(some);
      await catalogs.markProcessed(some);
    });
    for (const error of errors.values()) this.#port.failed(error);
  }

  async close(): Promise<void> {
    await this.#reconciler.close();
  }
}
