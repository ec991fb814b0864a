/** The effects of a command to many workflows that have to be read first: the data that it destroys, and the tasks that a retry repeats. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { BulkCommand } from '../../../../engine/vocabulary/states.ts';
import { destructiveGraphs } from '../../data/plan-data.ts';
import { readRetryEffects } from '../../data/read-retry-effects.ts';
import type { RetryEffects } from '../../data/retry-effects.ts';
import type { BulkTarget } from './bulk-texts.ts';

export interface BulkEffects {
  /** The graphs that may destroy data. */
  destructive: readonly string[];
  retries: RetryEffects;
}

export const NO_RETRIES: RetryEffects = new Map();

/** Without an answer a retry repeats nothing: the daemon rejects one that is not safe. */
export async function readBulkEffects(command: BulkCommand, workflows: readonly BulkTarget[]): Promise<BulkEffects> {
  const graphs = command === 'retry' || command === 'cancel' ? workflows.map((one) => one.injectableName) : [];
  const ids = command === 'retry' ? workflows.map(({ id }) => id) : [];
  const [destructive, retries] = await Promise.all([
    destructiveGraphs(graphs),
    readRetryEffects(ids).catch(() => NO_RETRIES),
  ]);
  return { destructive, retries };
}

/**
 * @param workflows do not change @param first the effects that were read before; absent: they are read
 * @returns undefined: they are being read
 */
export function useBulkEffects(
  command: BulkCommand,
  workflows: readonly BulkTarget[],
  first: BulkEffects | undefined,
): ReadonlySignal<BulkEffects | undefined> {
  const effects = useSignal(first);
  useEffect(() => {
    if (first !== undefined) return;
    void readBulkEffects(command, workflows).then((read) => {
      effects.value = read;
    });
  }, []);
  return effects;
}
