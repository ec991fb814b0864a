/** What can be asked of definitions: the library's, in the form that the API shows. */
import { randomUUID } from 'node:crypto';
import type { Library as Definitions, DefinitionView } from '../api-port/index.ts';
import { NodewrightError } from '../define/errors.ts';
import type { Library } from '../library/library.ts';
import type { Channel } from '../queue/port.ts';

/** A word that got lost is made up for by then. */
const REFRESH_MS = 30_000;

export class DefinitionRequests implements Definitions {
  readonly #library: Library;
  readonly #changes: Channel<string>;
  readonly #loaded: () => Promise<void>;
  readonly #id = randomUUID();
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe: (() => Promise<void>) | undefined;

  /**
   * @param changes tells the other processes that definitions were put or removed
   * @param loaded resolves when the library is loaded. @throws NodewrightError UNAVAILABLE when that takes long
   */
  constructor(library: Library, changes: Channel<string>, loaded: () => Promise<void>) {
    this.#library = library;
    this.#loaded = loaded;
    this.#changes = changes;
  }

  async start(): Promise<void> {
    const refresh = () => void this.#library.refresh().catch(() => {}); // the next round tries again
    this.#unsubscribe = await this.#changes.subscribe((by) => by !== this.#id && refresh());
    this.#timer = setInterval(refresh, REFRESH_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#unsubscribe?.();
  }

  /** Nothing is said of a library that is not whole yet. */
  async #whole(): Promise<Library> {
    await this.#loaded();
    return this.#library;
  }

  graphs = async (): Promise<DefinitionView[]> => (await this.#whole()).graphs().map(viewOf);
  graph = async (name: string) => maybe((await this.#whole()).graph(name));
  tasks = async (): Promise<DefinitionView[]> => (await this.#whole()).tasks().map(viewOf);
  task = async (name: string) => maybe((await this.#whole()).task(name));
  errors = async (): Promise<object[]> => [...(await this.#whole()).errors()];

  async putGraph(json: Record<string, unknown>): Promise<DefinitionView> {
    return this.#changed(viewOf(await (await this.#whole()).putGraph(json)));
  }

  async putTask(json: Record<string, unknown>): Promise<DefinitionView> {
    return this.#changed(viewOf(await (await this.#whole()).putTask(json)));
  }

  async removeGraph(name: string): Promise<boolean> {
    const library = await this.#whole();
    return this.#changed(await removed(() => library.removeGraph(name)));
  }

  async removeTask(name: string): Promise<boolean> {
    const library = await this.#whole();
    return this.#changed(await removed(() => library.removeTask(name)));
  }

  /** What packs define has changed. Every daemon looks, this one too. */
  async packsChanged(): Promise<void> {
    await (await this.#whole()).refresh();
    await this.#changed(undefined);
  }

  /** It is saved, so it holds; that the others hear of it at once is a courtesy. */
  async #changed<T>(answer: T): Promise<T> {
    await this.#changes.publish(this.#id).catch(() => {});
    return answer;
  }
}

const viewOf = ({ definition }: { definition: Record<string, unknown> }) => definition as DefinitionView;

const maybe = (found: { definition: Record<string, unknown> } | undefined) =>
  found === undefined ? undefined : viewOf(found);

/** @returns false when there is nothing of that name */
async function removed(remove: () => Promise<void>): Promise<boolean> {
  try {
    await remove();
    return true;
  } catch (error) {
    if (error instanceof NodewrightError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}
