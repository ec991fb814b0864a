/** The port of the API to the library of graphs and tasks. */

import type { Findings, GraphWarning } from '../kit/findings.ts';
import type { MachineView } from '../vocabulary/machine-shape.ts';

/**
 * A definition as JSON: as it was put, or as its file describes it; tasks with `recovery`. Definitions stay in memory.
 */
export type DefinitionView = Record<string, unknown> & { injectableName: string; friendlyName: string };

export type { GraphWarning } from '../kit/findings.ts';

/** During startup, every method waits for the definitions. @throws NodewrightError UNAVAILABLE if that takes too long */
export interface Library {
  graphs(): Promise<DefinitionView[]>;
  /** @param hash of a version; absent: the current one */
  graph(name: string, hash?: string): Promise<DefinitionView | undefined>;
  /** Returns its states, transitions and invokes. */
  machine(name: string, hash?: string): Promise<MachineView | undefined>;
  /** Says all that is wrong with a graph, and what is probably not meant; changes nothing. */
  checkGraph(json: Record<string, unknown>): Promise<Findings>;
  /** @param by the user @throws NodewrightError INVALID_DEFINITION */
  putGraph(
    json: Record<string, unknown>,
    by?: string,
  ): Promise<{ definition: DefinitionView; warnings: readonly GraphWarning[] }>;
  /** @throws NodewrightError CONFLICT for a graph from a file @returns false if there is no such graph */
  removeGraph(name: string): Promise<boolean>;
  tasks(): Promise<DefinitionView[]>;
  task(name: string): Promise<DefinitionView | undefined>;
  putTask(json: Record<string, unknown>, by?: string): Promise<DefinitionView>;
  /** @throws NodewrightError CONFLICT while a graph uses it */
  removeTask(name: string): Promise<boolean>;
  /** Returns the definitions that were rejected at load: file, found, expected. */
  errors(): Promise<object[]>;
}
