/**
 * Why a workflow, or a node, does not continue: its waits with their reasons, what ends each, how long it usually takes,
 * and what a user may do. Read-only.
 */
import type { BmcEndpoint, ConsoleTail, UsualMs, WaitExplained, Why } from '../../api-port/index.ts';
import { activeOn, holderOf } from '../../durable/runtime/on-node.ts';
import type { Records } from '../../durable/runtime/records.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import { leadingFirst, type OpenWait, sinceOf, waitsForAgent, waitsOf } from '../../durable/step/waits.ts';
import type { Watch } from '../../durable/watchdog/watchdog.ts';
import type { HoldRequests } from '../../inventory/holds/hold-requests.ts';
import type { Graph } from '../../library/types.ts';
import type { DefinitionLibrary } from '../../library/versions/library.ts';
import type { Cluster } from '../../platform/cluster/cluster.ts';
import { pause } from '../../platform/lib/pause.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { isActive, type WaitingOn } from '../../vocabulary/states.ts';
import { detailOf, ownerIn, type WaitFacts } from './details.ts';
import type { Durations } from './durations.ts';
import { atTime, change } from './foresight.ts';
import { suggestionsFor } from './suggestions.ts';

export interface WhyPort {
  records: Pick<Records, 'workflows' | 'storedWorkflows'>;
  library: Pick<DefinitionLibrary, 'pinnedGraph'>;
  durations: Pick<Durations, 'usualTimes'>;
  cluster: Pick<Cluster, 'isHeard'>;
  watch: Watch;
  /** Returns the gates of the node's BMCs. */
  bmcs(node: string): Promise<(BmcEndpoint & { host: string })[]>;
  holds: Pick<HoldRequests, 'on'>;
  /** Returns the rollouts in which the node waits for its turn. */
  rollouts(node: string): Promise<Why['rollouts']>;
  /** Returns the newest lines of the node's console; undefined: it is off. */
  consoleTail(node: string): Promise<ConsoleTail | undefined>;
  agent(node: string): Promise<{ lastSeenAt: string; address: string } | undefined>;
  /** Returns the file that the node last requested in vain. */
  failedFetch(node: string): Promise<WaitFacts['failedFetch']>;
}

/** Levels of children that a sentence follows. */
const MAX_DEPTH = 5;
/** The leading waits have an outcome: each is a step of the workflow, and takes as long as all of its waits squared. */
const FORETOLD = 200_000;

export class WhyRequests {
  readonly #port: WhyPort;

  constructor(port: WhyPort) {
    this.#port = port;
  }

  /** @param team that of the member who asks: children of others, and their durations, are left out */
  async workflow(id: string, team?: string): Promise<Why | undefined> {
    const row = await this.#port.records.workflows.load(id);
    return row && this.#of(row, team);
  }

  async node(id: string, team?: string): Promise<Why> {
    const [holder] = await activeOn(this.#port.records.storedWorkflows, id, 1);
    if (holder !== undefined) return this.#of(holder, team);
    return { ...nothing, status: null, node: id, ...(await this.#contactFacts(id)), ...(await this.#obstacles(id)) };
  }

  async #of(row: WorkflowRow, team: string | undefined): Promise<Why> {
    const { node, status } = row;
    const obstacles = await this.#obstacles(node);
    if (!isActive(status)) return { ...nothing, status, node, ...obstacles };
    const [contactFacts, holders] = await Promise.all([this.#contactFacts(node), this.#holders(node)]);
    const waits = await this.#explainWaits(row, contactFacts, 0, team);
    return {
      status,
      node,
      holder: holders[0] ?? null,
      waits,
      ...(await this.#consoleOf(row)),
      ...contactFacts,
      ...obstacles,
      suggestions: suggestionsFor(row, waits, contactFacts.bmc),
    };
  }

  /** A machine that does not report may say why on its console. */
  async #consoleOf(row: WorkflowRow): Promise<Pick<Why, 'console' | 'capture'>> {
    const { node } = row;
    const tail = node !== null && waitsOf(row).some(waitsForMachine) ? await this.#port.consoleTail(node) : undefined;
    return tail === undefined ? noConsole : { console: tail.lines, capture: tail.capture };
  }

  async #holders(node: string | null): Promise<NonNullable<Why['holder']>[]> {
    const held = node === null ? [] : await activeOn(this.#port.records.storedWorkflows, node, 1);
    return held.map(holderOf);
  }

  /** Returns what keeps other workflows from the node. */
  async #obstacles(node: string | null): Promise<Pick<Why, 'holds' | 'rollouts'>> {
    if (node === null) return { holds: [], rollouts: [] };
    const [{ holds }, rollouts] = await Promise.all([this.#port.holds.on(node), this.#port.rollouts(node)]);
    return { holds, rollouts };
  }

  async #contactFacts(node: string | null): Promise<Pick<Why, 'bmc' | 'agent'>> {
    if (node === null) return { bmc: null, agent: null };
    const [gates, agent = null] = await Promise.all([this.#port.bmcs(node), this.#port.agent(node)]);
    const [worst] = gates.sort((a, b) => (b.retryAt ?? '').localeCompare(a.retryAt ?? '') || b.failures - a.failures);
    if (worst === undefined) return { bmc: null, agent };
    const { host, address, retryAt, failures, lastAnswerAt } = worst;
    return { bmc: { host, address, retryAt, failures, lastAnswerAt }, agent };
  }

  async #explainWaits(
    row: WorkflowRow,
    contactFacts: Pick<Why, 'bmc' | 'agent'>,
    depth: number,
    team: string | undefined,
  ): Promise<WaitExplained[]> {
    const graph = await this.#graph(row);
    const usual = await this.#port.durations.usualTimes(row, team);
    const failedFetch = row.node === null ? undefined : await this.#port.failedFetch(row.node);
    const open = waitsOf(row).toSorted(leadingFirst);
    return Promise.all(
      open.map(async (wait, at) => {
        await pause();
        const waitingOn = await this.#waitingOn(row, wait);
        const below = waitingOn === 'child' ? await this.#below(wait, depth, team) : undefined;
        const detail = detailOf(wait, waitingOn, { row, ...contactFacts, below, failedFetch } satisfies WaitFacts);
        const foretold = at * open.length ** 2 < FORETOLD ? graph : undefined;
        return { ...this.#usualTimes(row, wait, foretold), waitingOn, detail, usualMs: usualOf(wait, usual) };
      }),
    );
  }

  /** Without its definition a workflow is suspended, and nothing can be foretold. */
  async #graph(row: WorkflowRow): Promise<Graph | undefined> {
    try {
      return await this.#port.library.pinnedGraph(row.definitionHash);
    } catch (error) {
      if (error instanceof NodewrightError && error.code === 'DEFINITION_GONE') return undefined;
      throw error;
    }
  }

  async #waitingOn(row: WorkflowRow, { entry, operations }: OpenWait): Promise<WaitingOn | null> {
    if (row.error !== null) return 'held';
    if (entry === undefined || entry.waitingOn !== null) return entry?.waitingOn ?? 'timer';
    const owner = ownerIn(operations.filter(({ kind }) => kind === 'activity'));
    return owner === undefined || (await this.#port.cluster.isHeard(owner)) ? null : 'lease';
  }

  #usualTimes(row: WorkflowRow, { label, entry, dueAt }: OpenWait, graph: Graph | undefined) {
    const since = entry === undefined ? row.updatedAt : sinceOf(entry);
    if (dueAt === null) return { label, since, dueAt: null, outcome: null };
    const after = graph && row.error === null ? atTime(row, graph, dueAt, this.#port.watch) : undefined;
    const outcome = after === undefined ? 'the workflow takes its next step' : change(row, after, label);
    return { label, since, dueAt: new Date(dueAt).toISOString(), outcome };
  }

  async #below({ operations }: OpenWait, depth: number, team: string | undefined): Promise<string | undefined> {
    const child = operations.find((operation) => operation.kind === 'graph');
    if (child?.kind !== 'graph' || depth >= MAX_DEPTH) return undefined;
    const row = await this.#port.records.workflows.load(child.child);
    if (row === undefined || !isActive(row.status)) return undefined;
    if (team !== undefined && row.owner !== team) return undefined;
    const waits = await this.#explainWaits(row, await this.#contactFacts(row.node), depth + 1, team);
    return waits[0]?.detail;
  }
}

const noConsole = { console: null, capture: null };
const nothing = { holder: null, waits: [], bmc: null, agent: null, ...noConsole, suggestions: [] };
/** A boot, an agent, and an installer that reports. */
const waitsForMachine = (wait: OpenWait): boolean => waitsForAgent(wait) || wait.entry?.waitingOn === 'notification';

const usualOf = ({ label }: OpenWait, usual: ReadonlyMap<string, UsualMs>): UsualMs | null =>
  (label === null ? undefined : usual.get(label)) ?? null;
