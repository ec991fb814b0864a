/** A timeout for waiting on a promise. The operation itself continues. */

/** @param late returns the result to use after `ms`, or throws */
export async function withTimeout<T, L>(work: Promise<T>, ms: number, late: () => L | Promise<L>): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<L>((resolve, reject) => {
    timer = setTimeout(() => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    }, ms);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
