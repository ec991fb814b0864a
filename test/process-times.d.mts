/** @returns reads the seconds of CPU time of the process of a test, by its id, and of its descendants */
export function watchTimes(lookMs?: number): (test: number) => number;
