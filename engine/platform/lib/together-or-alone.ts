/** Processes items together, or one by one if one of them is rejected: an item that can never be processed delays no other. */
import { isRejection } from '../../vocabulary/errors.ts';

/** Whether the error may be about one item. While a store is away, each item alone would fail too. */
const isOfOne = (error: unknown): boolean =>
  isRejection(error) || error instanceof TypeError || error instanceof RangeError;

/**
 * @param process must be harmless to repeat: a call that fails may have processed some of its items
 * @returns the errors of those that failed alone, by item
 * @throws an error of `process` that is not about one item
 */
export async function togetherOrAlone<T>(
  items: readonly T[],
  process: (items: readonly T[]) => Promise<unknown>,
): Promise<ReadonlyMap<T, unknown>> {
  const errors = new Map<T, unknown>();
  const attempt = async (some: readonly T[]): Promise<boolean> => {
    try {
      await process(some);
      return true;
    } catch (error) {
      if (!isOfOne(error)) throw error;
      const [only] = some;
      if (some.length === 1 && only !== undefined) errors.set(only, error);
      return false;
    }
  };
  if (items.length === 0 || (await attempt(items)) || items.length === 1) return errors;
  for (const item of items) await attempt([item]);
  return errors;
}
