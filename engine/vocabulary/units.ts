/** Bytes, milliseconds and seconds of the units that limits and intervals are given in. */
export const KIB = 1_024;
export const MIB = KIB * KIB;
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const DAY_SEC = 86_400;
