/** Requests about definitions, in the form that the API shows. */
import { randomUUID } from 'node:crypto';
import type { Library as Definitions, DefinitionView } from '../../api-port/index.ts';
import type { Findings } from '../../kit/findings.ts';
import { machineView } from '../../library/forms/machine-view.ts';
import { taskOfBase } from '../../library/forms/rackhd/base-tasks.ts';
import type { Graph } from '../../library/types.ts';
import type { DefinitionLibrary } from '../../library/versions/library.ts';
import type { Definition } from '../../library/versions/sku-definitions.ts';
import { Reconciler } from '../../platform/lib/reconciler.ts';
import type { Channel } from '../../platform/queue/port.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import { redacting } from '../../vocabulary/conceal.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { MachineView } from '../../vocabulary/machine-shape.ts';
import { concealDefinition, encryptDefinition } from './definition-secrets.ts';

/** Refresh interval: a change whose notification was lost is seen by then. */
const REFRESH_MS = 30_000;
const JITTER = 0.1;
/** A graph is explored on the main thread: others wait so long at most. Most graphs take a few ms. */
const budget = { budgetMs: 100 };
/** A start does not need it. */
const findings = () => import('../../kit/findings.ts');

export class DefinitionRequests implements Definitions {
  readonly #library: DefinitionLibrary;
  readonly #changes: Channel<string>;
  readonly #vault: Vault;
  readonly #starting: () => Promise<void>;
  readonly #id = randomUUID();
  readonly #refresh: Reconciler<'change'>;
  #unsubscribe: (() => Promise<void>) | undefined;

  /**
   * @param changes notifies the other processes that definitions were put or removed
   * @param starting resolves when the library is loaded. @throws NodewrightError UNAVAILABLE when that takes long
   */
  constructor(library: DefinitionLibrary, vault: Vault, changes: Channel<string>, starting: () => Promise<void>) {
    this.#library = library;
    this.#vault = vault;
    this.#changes = changes;
    this.#starting = starting;
    this.#refresh = new Reconciler<'change'>({
      name: 'definitions',
      everyMs: REFRESH_MS,
      firstMs: REFRESH_MS,
      jitter: JITTER,
      pass: () => library.refresh(),
      failed: () => {}, // the library reports its errors, and the next pass retries
    });
  }

  async start(): Promise<void> {
    this.#unsubscribe = await this.#changes.subscribe((by) => by !== this.#id && void this.#refresh.request('change'));
    this.#refresh.start();
  }

  async close(): Promise<void> {
    await this.#unsubscribe?.();
    await this.#refresh.close();
  }

  /**
   * Returns the library once it is loaded completely; no request is answered before.
   * @throws NodewrightError UNAVAILABLE when that takes long
   */
  async loadedLibrary(): Promise<DefinitionLibrary> {
    await this.#starting();
    return this.#library;
  }

  graphs = async (): Promise<DefinitionView[]> => (await this.loadedLibrary()).graphs().map(this.#viewOf);
  graph = async (name: string, hash?: string) => this.#maybe(await this.#version(name, hash));
  machine = async (name: string, hash?: string): Promise<MachineView | undefined> => {
    const graph = await this.#version(name, hash);
    return graph && machineView(graph);
  };

  /** @returns undefined if there is no such graph, or it has no such version */
  async #version(name: string, hash: string | undefined): Promise<Graph | undefined> {
    const library = await this.loadedLibrary();
    if (hash === undefined) return library.graph(name);
    try {
      const graph = await library.pinnedGraph(hash);
      return graph.name === name ? graph : undefined;
    } catch (error) {
      if (error instanceof NodewrightError && error.code === 'DEFINITION_GONE') return undefined;
      throw error;
    }
  }

  tasks = async (): Promise<DefinitionView[]> => (await this.loadedLibrary()).tasks().map(this.#viewOf);
  task = async (name: string) => this.#maybe((await this.loadedLibrary()).task(name));
  errors = async (): Promise<object[]> => [...(await this.loadedLibrary()).errors()];

  async checkGraph(json: Record<string, unknown>): Promise<Findings> {
    const library = await this.loadedLibrary();
    const { findingsOf } = await findings();
    const { injectableName: name } = json;
    return findingsOf(typeof name === 'string' ? name : null, () => library.checkGraph(this.#encryptJson(json)), {
      ...budget,
      graphs: (other) => library.graph(other),
    });
  }

  async putGraph(json: Record<string, unknown>, by?: string) {
    const library = await this.loadedLibrary();
    const graph = await library.putGraph(this.#encryptJson(json), by);
    const { warningsOf } = await findings();
    const { warnings } = warningsOf(graph, { ...budget, graphs: (other) => library.graph(other) });
    return this.#announceChange({ definition: this.#viewOf(graph), warnings });
  }

  async putTask(json: Record<string, unknown>, by?: string): Promise<DefinitionView> {
    const library = await this.loadedLibrary();
    return this.#announceChange(this.#viewOf(await library.putTask(this.#encryptJson(json), by)));
  }

  readonly #schemaOf = (task: string) => {
    const base = taskOfBase(task, {});
    return this.#library.task(base !== undefined && 'task' in base ? base.task : task)?.schema;
  };

  #encryptJson(json: Record<string, unknown>) {
    return encryptDefinition(json, this.#schemaOf, this.#vault);
  }

  readonly #viewOf = ({ definition }: { definition: Record<string, unknown> }) =>
    concealDefinition(definition, this.#schemaOf, redacting) as DefinitionView;

  #maybe(found: { definition: Record<string, unknown> } | undefined) {
    return found === undefined ? undefined : this.#viewOf(found);
  }

  async removeGraph(name: string): Promise<boolean> {
    const library = await this.loadedLibrary();
    return this.#announceChange(await isRemoved(() => library.removeGraph(name)));
  }

  async removeTask(name: string): Promise<boolean> {
    const library = await this.loadedLibrary();
    return this.#announceChange(await isRemoved(() => library.removeTask(name)));
  }

  /** Validates the definitions of a pack, commits, and activates them. */
  async servePack<T>(sku: string, definitions: readonly Definition[], commit: () => Promise<T>): Promise<T> {
    return (await this.loadedLibrary()).putPack(sku, definitions, commit);
  }

  /** Reloads the definitions of packs, and notifies all daemons, including this one. */
  async packsChanged(): Promise<void> {
    await (await this.loadedLibrary()).refresh();
    await this.#announceChange(undefined);
  }

  /** The change is saved and valid already; the notification only makes other processes see it sooner. */
  async #announceChange<T>(answer: T): Promise<T> {
    await this.#changes.publish(this.#id).catch(() => {});
    return answer;
  }
}

/** @returns false when there is no definition of that name */
async function isRemoved(remove: () => Promise<void>): Promise<boolean> {
  try {
    await remove();
    return true;
  } catch (error) {
    if (error instanceof NodewrightError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}
