/** The library of graphs and tasks, as the API asks for it. */

/** A definition as JSON: as it was put, or as its file describes it; tasks with `recovery`. Small: all are in memory. */
export type DefinitionView = Record<string, unknown> & { injectableName: string; friendlyName: string };

/** While the daemon starts, each waits for the definitions. @throws NodewrightError UNAVAILABLE when that takes long */
export interface Library {
  graphs(): Promise<DefinitionView[]>;
  graph(name: string): Promise<DefinitionView | undefined>;
  /** @throws NodewrightError INVALID_DEFINITION */
  putGraph(json: Record<string, unknown>): Promise<DefinitionView>;
  /** @throws NodewrightError CONFLICT for what comes from a file @returns false when it is not there */
  removeGraph(name: string): Promise<boolean>;
  tasks(): Promise<DefinitionView[]>;
  task(name: string): Promise<DefinitionView | undefined>;
  putTask(json: Record<string, unknown>): Promise<DefinitionView>;
  /** @throws NodewrightError CONFLICT while a graph uses it */
  removeTask(name: string): Promise<boolean>;
  /** What was refused at load: file, found, expected. */
  errors(): Promise<object[]>;
}
