/** Selects the events that a hook wants: those that match one of its filters, or all when it has none. */
import type { HookFilter } from '../api-port/hooks.ts';
import type { Fault } from '../define/errors.ts';
import type { EventPayload } from '../define/event.ts';
import { pause } from '../lib/pause.ts';
import { matches, patternFaults } from '../patterns/patterns.ts';

const filterKeys = ['type', 'typeId', 'action', 'severity', 'nodeId'] as const;

/** Pauses between filters: a hook may have many, with slow patterns. */
export async function wants(filters: readonly HookFilter[], event: EventPayload): Promise<boolean> {
  for (const filter of filters) {
    await pause();
    if (fits(filter, event)) return true;
  }
  return filters.length === 0;
}

/** An event without a node has the empty text there. */
const fits = (filter: HookFilter, event: EventPayload): boolean =>
  filterKeys.every((key) => {
    const pattern = filter[key];
    return pattern === undefined || matches(pattern, event[key] ?? '') === true;
  });

export const filterFaults = (filters: readonly HookFilter[]): Fault[] =>
  filters.flatMap((filter, index) =>
    Object.entries(filter).flatMap(([key, pattern]) => patternFaults(`filters.${index}.${key}`, pattern)),
  );
