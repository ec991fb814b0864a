/** The world outside a simulated daemon: it counts what is done to it. */

export interface Effects {
  /** Notes that it was done; resolves after the time, in virtual ms. */
  act(what: string, ms: number, signal: AbortSignal): Promise<void>;
  count(what: string): number;
  /** Whether what may fail succeeds this time. */
  isLucky(): boolean;
}

/** Definitions are bundled apart from the program that runs them. */
export const EFFECTS = Symbol.for('nodewright.simulation.effects');

export const effects = (): Effects => (globalThis as Record<symbol, unknown>)[EFFECTS] as Effects;
