/** The topics of a hook, as people choose them: each with the filters that select its events. */
import type { ShownHookFilter } from './shown-hook.ts';

export interface HookTopic {
  title: string;
  filters: readonly ShownHookFilter[];
  /** A new hook begins with it. */
  isUsual?: true;
}

const ended = { type: '^graph$', action: '^finished$' };

export const hookTopics: readonly HookTopic[] = [
  { title: 'Failed workflows', isUsual: true, filters: [{ ...ended, status: '^failed$' }] },
  { title: 'All workflows that end', filters: [ended] },
  { title: 'Health of nodes', isUsual: true, filters: [{ type: '^node$', action: '^health\\.changed$' }] },
  {
    title: 'Alerts of BMCs and pollers',
    isUsual: true,
    filters: [{ type: '^node$', action: '^alerts$' }, { type: '^polleralert$' }],
  },
  { title: 'New and deleted nodes', filters: [{ type: '^node$', action: '^(added|discovered|removed)$' }] },
  { title: 'Holds of nodes', filters: [{ type: '^node$', action: '^hold\\.' }] },
  { title: 'Rollouts', filters: [{ type: '^rollout$' }] },
  { title: 'Tickets', filters: [{ type: '^ticket$' }] },
  { title: 'Schedules and rules', filters: [{ type: '^(schedule|rule)$' }] },
];

export const usualTopics: readonly HookTopic[] = hookTopics.filter(({ isUsual }) => isUsual);

interface ChosenEvents {
  topics: readonly HookTopic[];
  /** Filters that are of no topic. */
  others: readonly ShownHookFilter[];
}

const keyOf = (filter: ShownHookFilter): string => JSON.stringify(Object.entries(filter).toSorted());

/** A topic is chosen if the hook has all of its filters. */
export function eventsOf(filters: readonly ShownHookFilter[]): ChosenEvents {
  const keys = new Set(filters.map(keyOf));
  const topics = hookTopics.filter((topic) => topic.filters.every((filter) => keys.has(keyOf(filter))));
  const ofTopics = new Set(topics.flatMap((topic) => topic.filters.map(keyOf)));
  return { topics, others: filters.filter((filter) => !ofTopics.has(keyOf(filter))) };
}

export const filtersOf = ({ topics, others }: ChosenEvents): ShownHookFilter[] => [
  ...topics.flatMap(({ filters }) => filters),
  ...others,
];
