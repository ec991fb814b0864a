/** The clock and the random numbers that code sees, replaced while it runs. Code that returns without waiting sees nothing else. */

export interface StepWorld {
  /** ms since the epoch. @param read the expression that asks, such as `Date.now()` */
  now(read: string): number;
  /** From 0 to 1, without 1. */
  random(read: string): number;
}

/** Returns the real ones. @param note receives each read */
export function notedWorld(note: (read: string) => void): StepWorld {
  const { now } = Date;
  const { random } = Math;
  const noting = (value: () => number) => (read: string) => {
    note(read);
    return value();
  };
  return { now: noting(now), random: noting(random) };
}

/** Returns a function that runs code in this world. */
export function runnerIn({ now, random }: StepWorld): <T>(code: () => T) => T {
  const { Date: RealDate } = globalThis;
  const replacements = {
    random: () => random('Math.random()'),
    performanceNow: () => now('performance.now()'),
    randomUUID: () => uuidOf(() => random('crypto.randomUUID()')),
    Date: new Proxy(RealDate, {
      construct: (_, args: unknown[], target) =>
        Reflect.construct(RealDate, args.length === 0 ? [now('new Date()')] : args, target),
      apply: () => new RealDate(now('Date()')).toString(),
      get: (target, key) => (key === 'now' ? () => now('Date.now()') : Reflect.get(target, key)),
    }),
  };
  return (code) => {
    const originals = { random: Math.random, performanceNow: performance.now, randomUUID: crypto.randomUUID };
    try {
      globalThis.Date = replacements.Date;
      Math.random = replacements.random;
      performance.now = replacements.performanceNow;
      crypto.randomUUID = replacements.randomUUID;
      return code();
    } finally {
      globalThis.Date = RealDate;
      Math.random = originals.random;
      performance.now = originals.performanceNow;
      crypto.randomUUID = originals.randomUUID;
    }
  };
}

const uuidOf = (random: () => number) =>
  '10000000-1000-4000-8000-100000000000'.replaceAll(/[018]/g, () =>
    Math.floor(random() * 16).toString(16),
  ) as ReturnType<typeof crypto.randomUUID>;
