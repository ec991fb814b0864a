/** The entries of a BMC's event log, which it keeps while its machine is off. */
import type { BmcState, LogEntry } from './machine-state.ts';

/** The oldest entries are overwritten. */
export const LOG_LIMIT = 200;

/** Adds an entry to the log. @param entry `at`: field time */
export function addLogEntry(bmc: BmcState, entry: Omit<LogEntry, 'id'>): void {
  bmc.lastEntry += 1;
  bmc.log.push({ ...entry, id: bmc.lastEntry });
  if (bmc.log.length > LOG_LIMIT) bmc.log.shift();
}
