/** The `meta` of the engine's own machines, which it steps without interpreting them (`engine/step/compiled.ts`). */
export const COMPILED = { compiled: true } as const;
