/**
 * Simulated workflows for users of the API, in memory. The code of the graph runs as in a real workflow: on the main
 * thread, under the watchdog, in steps between which others have their turn.
 */

import type { SimulationRequest, Simulations } from '../../api-port/index.ts';
import type { Runtime } from '../../durable/runtime/runtime.ts';
import type { Watch } from '../../durable/watchdog/watchdog.ts';
import type { Findings } from '../../kit/findings.ts';
import type { PlayOptions, PlayResult } from '../../kit/play.ts';
import type { Recording } from '../../kit/recording.ts';
import type { Graph } from '../../library/types.ts';
import type { DefinitionLibrary } from '../../library/versions/library.ts';
import { provenanceOf } from '../../library/versions/provenance.ts';
import { pause } from '../../platform/lib/pause.ts';
import { stopwatch } from '../../platform/lib/stopwatch.ts';
import { validator } from '../../platform/validation/validator.ts';
import { NodewrightError, violationError } from '../../vocabulary/errors.ts';

/** ms of the main thread that one request may have. Most take one. */
const REQUEST_BUDGET_MS = 250;
/** A start does not need them. */
const player = () => import('../../kit/play.ts');
const findings = () => import('../../kit/findings.ts');
const recorder = () => import('../../kit/recording.ts');

/** ms of the main thread to explore a graph; findings that are kept. */
const CHECK_MS = 100;
const CHECKED = 200;

/** Instead of a workflow, for the watchdog: if the code of this version stops the daemon, it runs here no more. */
const nameOf = ({ hash }: Graph): string => `simulation ${hash}`;

export class SimulationRequests implements Simulations {
  readonly #loaded: () => Promise<Pick<DefinitionLibrary, 'graph'>>;
  readonly #watch: Watch;
  readonly #runtime: Pick<Runtime, 'barred' | 'versions'>;
  /** By hash: findings do not change. */
  readonly #checked = new Map<string, Findings>();

  constructor(
    loaded: () => Promise<Pick<DefinitionLibrary, 'graph'>>,
    watch: Watch,
    runtime: Pick<Runtime, 'barred' | 'versions'>,
  ) {
    this.#loaded = loaded;
    this.#watch = watch;
    this.#runtime = runtime;
  }

  /** @throws NodewrightError QUARANTINED */
  async #graph(name: string): Promise<Graph | undefined> {
    const graph = (await this.#loaded()).graph(name);
    if (graph === undefined) return undefined;
    const { barred, versions } = this.#runtime;
    const error = (await versions.confirm(provenanceOf(graph))) ?? barred.errorOf(nameOf(graph));
    if (error === undefined) return graph;
    throw new NodewrightError('QUARANTINED', `${name} is not simulated: ${error.message}`);
  }

  async play(name: string, request: SimulationRequest) {
    const { options, moves } = request;
    const graph = await this.#graph(name);
    if (graph === undefined) return undefined;
    const recording = await recordingIn(request);
    const played = await this.#playGraph(graph, {
      moves,
      ...(recording !== undefined && { node: recording }),
      ...(options !== undefined && { options }),
    });
    return { definitionHash: graph.hash, ...played };
  }

  async check(name: string): Promise<Findings | undefined> {
    const graph = await this.#graph(name);
    if (graph === undefined) return undefined;
    const library = await this.#loaded();
    const { circleWarnings } = await findings();
    const found = await this.#findingsOf(graph);
    return { ...found, warnings: [...found.warnings, ...circleWarnings(graph, (other) => library.graph(other))] };
  }

  async #findingsOf(graph: Graph): Promise<Findings> {
    const known = this.#checked.get(graph.hash);
    if (known !== undefined) return known;
    const { findingsOf } = await findings();
    const running = { workflow: nameOf(graph), graph: graph.name, cause: 'check', ...provenanceOf(graph) };
    const found = this.#watch(running, () => findingsOf(graph.name, () => graph, { budgetMs: CHECK_MS }));
    const [oldest] = this.#checked.keys();
    if (this.#checked.size >= CHECKED && oldest !== undefined) this.#checked.delete(oldest);
    this.#checked.set(graph.hash, found);
    return found;
  }

  async #playGraph(graph: Graph, options: Omit<PlayOptions, 'isOutOfTime'>): Promise<PlayResult> {
    const { play } = await player();
    let spentMs = 0;
    const steps = play(graph, { ...options, isOutOfTime: () => spentMs > REQUEST_BUDGET_MS });
    const running = { workflow: nameOf(graph), graph: graph.name, cause: 'simulation', ...provenanceOf(graph) };
    for (;;) {
      await pause();
      const worked = stopwatch();
      const step = this.#watch(running, () => steps.next());
      spentMs += worked();
      if (step.done) return step.value;
    }
  }
}

async function recordingIn({ node, recording }: SimulationRequest): Promise<Recording | null | undefined> {
  if (node === null || (node === undefined && recording === undefined)) return node;
  const { recordingOf, recordingSchema } = await recorder();
  if (node !== undefined) return recordingOf(node);
  const violations = validator.violations(recordingSchema, recording);
  if (violations.length === 0) return recording as Recording;
  const placed = violations.map(({ path, message }) => ({ path: `recording.${path}`, message }));
  throw violationError(placed, { about: 'Invalid recording:' });
}
