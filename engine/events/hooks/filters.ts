/** Selects the events for a hook: those that match one of its filters, or all if it has none. */
import { type HookFilter, hookFilterKeys } from '../../api-port/hooks.ts';
import { pause } from '../../platform/lib/pause.ts';
import { matches, patternViolations } from '../../platform/patterns/patterns.ts';
import type { Violation } from '../../vocabulary/errors.ts';
import type { EventPayload } from '../../vocabulary/event.ts';

/** Whether the filters select the event. Pauses between filters: a hook may have many, with slow patterns. */
export async function wants(filters: readonly HookFilter[], event: EventPayload): Promise<boolean> {
  for (const filter of filters) {
    await pause();
    if (fits(filter, event)) return true;
  }
  return filters.length === 0;
}

/** A missing value is matched as the empty string. */
const fits = (filter: HookFilter, event: EventPayload): boolean =>
  hookFilterKeys.every((key) => {
    const pattern = filter[key];
    return pattern === undefined || matches(pattern, textIn(event, key)) === true;
  });

function textIn(event: EventPayload, key: keyof HookFilter): string {
  if (key !== 'status' && key !== 'graphName') return event[key] ?? '';
  // A graph is selected by the name that launches it; events of earlier versions have only that one.
  const text = key === 'graphName' ? (event.data.injectableName ?? event.data.graphName) : event.data[key];
  return typeof text === 'string' ? text : '';
}

export const filterViolations = (filters: readonly HookFilter[]): Violation[] =>
  filters.flatMap((filter, index) => expressionViolations(filter, `filters.${index}`));

/** @param at path of the filter in the request */
export const expressionViolations = (filter: HookFilter, at: string): Violation[] =>
  Object.entries(filter).flatMap(([key, pattern]) => patternViolations(`${at}.${key}`, pattern));
