/** The port of the API to the library of graphs and tasks. */

/**
 * A definition as JSON: as it was put, or as its file describes it; tasks with `recovery`. Definitions stay in memory.
 */
export type DefinitionView = Record<string, unknown> & { injectableName: string; friendlyName: string };

/** During startup, every method waits for the definitions. @throws NodewrightError UNAVAILABLE if that takes too long */
export interface Library {
  graphs(): Promise<DefinitionView[]>;
  graph(name: string): Promise<DefinitionView | undefined>;
  /** @throws NodewrightError INVALID_DEFINITION */
  putGraph(json: Record<string, unknown>): Promise<DefinitionView>;
  /** @throws NodewrightError CONFLICT for a graph from a file @returns false if there is no such graph */
  removeGraph(name: string): Promise<boolean>;
  tasks(): Promise<DefinitionView[]>;
  task(name: string): Promise<DefinitionView | undefined>;
  putTask(json: Record<string, unknown>): Promise<DefinitionView>;
  /** @throws NodewrightError CONFLICT while a graph uses it */
  removeTask(name: string): Promise<boolean>;
  /** Returns the definitions that were rejected at load: file, found, expected. */
  errors(): Promise<object[]>;
}
