/**
 * Epochs: processes may keep what they have read of records that seldom change, until one of them changes such a record.
 *
 * 1. A reader asks for the epoch, then reads. It may use the result again while a later question has the same answer, and no
 *    longer than `KEPT_MS` after the first question.
 * 2. A change ends the epoch before it is written. Until it is acknowledged there is none, so every reader reads the store.
 * 3. An acknowledged change is seen by every request that comes later, to any process, or the acknowledgement waits until
 *    nothing older can be in use.
 */
export interface Epoch {
  /** Never rejects. @returns undefined: read, and keep nothing */
  read(): Promise<string | undefined>;
  /** @param write changes the store */
  change<T>(write: () => Promise<T>): Promise<T>;
}

/** A request of each token reads once in this time; a change that Redis cannot announce takes as long. */
export const KEPT_MS = 2_000;
/** Time after a write until no process uses an earlier read. Timers may be early, and clocks of machines differ in speed. */
export const OUTDATED_MS = KEPT_MS + 100;

/** The epoch of the only process. */
export function localEpoch(): Epoch {
  let [begun, pending] = [0, 0];
  return {
    read: async () => (pending > 0 ? undefined : String(begun)),
    async change(write) {
      begun += 1;
      pending += 1;
      try {
        return await write();
      } finally {
        pending -= 1;
      }
    },
  };
}
