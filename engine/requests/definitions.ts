/** What can be asked of definitions: the library's, in the form that the API shows. */
import type { Library as Definitions, DefinitionView } from '../api-port.ts';
import { NodewrightError } from '../define/errors.ts';
import type { Library } from '../library/library.ts';

export class DefinitionRequests implements Definitions {
  readonly #library: Library;

  constructor(library: Library) {
    this.#library = library;
  }

  graphs = (): DefinitionView[] => this.#library.graphs().map(viewOf);
  graph = (name: string) => maybe(this.#library.graph(name));
  tasks = (): DefinitionView[] => this.#library.tasks().map(viewOf);
  task = (name: string) => maybe(this.#library.task(name));
  errors = (): object[] => [...this.#library.errors()];

  async putGraph(json: Record<string, unknown>): Promise<DefinitionView> {
    return viewOf(await this.#library.putGraph(json));
  }

  async putTask(json: Record<string, unknown>): Promise<DefinitionView> {
    return viewOf(await this.#library.putTask(json));
  }

  removeGraph = (name: string) => removed(() => this.#library.removeGraph(name));
  removeTask = (name: string) => removed(() => this.#library.removeTask(name));
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
