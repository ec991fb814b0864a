/** How much a pack may hold. What it holds is held on the disk, not in memory, but for these. */

export interface PackLimits {
  /** Bytes of the archive as it is sent. */
  archive: number;
  /** Bytes of all its files. */
  expanded: number;
}

/** Text packs well, but not without end: a small archive that has more in it is meant to fill the disk. */
const EXPANSION = 8;

export const limitsOf = (packLimit: number): PackLimits => ({ archive: packLimit, expanded: EXPANSION * packLimit });

/** Files and folders. */
export const ENTRIES = 10_000;
/** Bytes of a name. */
export const NAME = 1_024;
/** Bytes of config.json, which is kept with its SKU. */
export const CONFIG = 256 * 1_024;
/** Graphs and tasks of a pack, which all daemons hold in memory, and bytes of them. */
export const DEFINITIONS = 500;
export const DEFINITIONS_SIZE = 4 * 1_024 * 1_024;
