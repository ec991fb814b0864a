/**
 * @param share of the list, such as 1 / 3; rounded up
 * @param seed by default that of the run; null: none
 * @returns neighbours in the list, in its order; all without a seed
 */
export function drawn<T>(all: readonly T[], share: number, seed?: string | null): T[];
