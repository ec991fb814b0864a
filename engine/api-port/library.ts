/** The library of graphs and tasks, as the API asks for it. */

/** A definition as JSON: as it was put, or as its file describes it; tasks with `recovery`. Small: all are in memory. */
export type DefinitionView = Record<string, unknown> & { injectableName: string; friendlyName: string };

export interface Library {
  graphs(): DefinitionView[];
  graph(name: string): DefinitionView | undefined;
  /** @throws NodewrightError INVALID_DEFINITION */
  putGraph(json: Record<string, unknown>): Promise<DefinitionView>;
  /** @throws NodewrightError CONFLICT for what comes from a file @returns false when it is not there */
  removeGraph(name: string): Promise<boolean>;
  tasks(): DefinitionView[];
  task(name: string): DefinitionView | undefined;
  putTask(json: Record<string, unknown>): Promise<DefinitionView>;
  /** @throws NodewrightError CONFLICT while a graph uses it */
  removeTask(name: string): Promise<boolean>;
  /** What was refused at load: file, found, expected. */
  errors(): object[];
}
