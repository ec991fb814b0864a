/** A process that dies before or after its n-th call, within the process of the test. */

export class Death extends Error {}

export interface MortalCalls {
  /** Places at which it could have died so far. */
  readonly count: number;
  live<T>(work: () => Promise<T>): Promise<T>;
}

/** @param deadline the place at which it dies; each call has one before and one after it */
export function mortalCalls(deadline: number): MortalCalls {
  let count = 0;
  const die = () => {
    count += 1;
    if (count === deadline) throw new Death();
  };
  return {
    get count() {
      return count;
    },
    async live(work) {
      die();
      const result = await work();
      die();
      return result;
    },
  };
}
