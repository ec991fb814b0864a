/** The effects of a command to many workflows that have to be read first: the data that it destroys, and the tasks that a retry repeats. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { BulkCommand } from '../../../../engine/vocabulary/states.ts';
import { destructiveGraphs } from '../../data/plan-data.ts';
import { readRetryEffects } from '../../data/read-retry-effects.ts';
import type { RetryEffects } from '../../data/retry-effects.ts';
import type { BulkTarget } from './bulk-texts.ts';

interface BulkEffects {
  /** The graphs that may destroy data; undefined: being read. */
  destructive: ReadonlySignal<readonly string[] | undefined>;
  /** undefined: being read. */
  retries: ReadonlySignal<RetryEffects | undefined>;
}

export const NO_EFFECTS: RetryEffects = new Map();

/** @param workflows do not change */
export function useBulkEffects(command: BulkCommand, workflows: readonly BulkTarget[]): BulkEffects {
  const destructive = useSignal<readonly string[] | undefined>(undefined);
  const retries = useSignal<RetryEffects | undefined>(undefined);
  useEffect(() => {
    void destroyedBy(command, workflows).then((graphs) => {
      destructive.value = graphs;
    });
    void repeatedBy(command, workflows).then((effects) => {
      retries.value = effects;
    });
  }, []);
  return { destructive, retries };
}

/** The graphs of workflows that may destroy data by the command. */
export const destroyedBy = (command: BulkCommand, workflows: readonly BulkTarget[]): Promise<string[]> =>
  destructiveGraphs(command === 'retry' || command === 'cancel' ? workflows.map((one) => one.injectableName) : []);

/** Without an answer there are none: the daemon rejects a retry that is not safe. */
export const repeatedBy = async (command: BulkCommand, workflows: readonly BulkTarget[]): Promise<RetryEffects> =>
  command === 'retry' ? readRetryEffects(workflows.map(({ id }) => id)).catch(() => NO_EFFECTS) : NO_EFFECTS;
