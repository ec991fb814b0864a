/** A limit on how long somebody waits. What is waited for goes on. */

/** @param late gives what is said instead after `ms`, or throws it */
export async function within<T, L>(work: Promise<T>, ms: number, late: () => L | Promise<L>): Promise<T | L> {
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
