/** Limits of a pack. Its data is kept on disk, not in memory, except where noted. */
import { MIB } from '../../vocabulary/units.ts';

export interface PackLimits {
  /** Bytes of the archive as sent. */
  archive: number;
  /** Total bytes of its files. */
  expanded: number;
}

/** Maximum compression ratio: a small archive that expands further is meant to fill the disk. */
const EXPANSION = 8;

export const limitsOf = (packLimit: number): PackLimits => ({ archive: packLimit, expanded: EXPANSION * packLimit });

/** Maximum of files and folders. */
export const ENTRIES = 10_000;
/** Maximum bytes of a name. */
export const MAX_NAME_BYTES = 1_024;
/** Maximum bytes of config.json, which is stored with its SKU. */
export const CONFIG = 256 * 1_024;
/** Maximum number and bytes of a pack's graphs and tasks, which all daemons hold in memory. */
export const DEFINITIONS = 500;
export const DEFINITIONS_SIZE = 4 * MIB;
