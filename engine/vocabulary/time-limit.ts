/** A limit of time for work that takes a signal. */

/**
 * The signal of the work aborts with `signal`, and after `ms`. Work that ignores it continues. The timer is our own:
 * `AbortSignal.timeout`, combined with others, may be garbage-collected and never fire (Node 20).
 * @param late returns the reason of the abort after `ms`
 */
export async function withTimeLimit<T>(
  signal: AbortSignal | undefined,
  ms: number,
  late: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(late()), ms);
  try {
    return await work(signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]));
  } finally {
    clearTimeout(timer);
  }
}
