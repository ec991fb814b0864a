/** The events that a hook sends: topics to check, and filters by expressions for all else. */
import type { Signal } from '@preact/signals';
import { HookFilterFields } from './hook-filter-fields.tsx';
import { type HookTopic, hookTopics } from './hook-topics.ts';
import type { ShownHookFilter } from './shown-hook.ts';
import '../../styles/hooks.css';

interface HookEventsProps {
  topics: Signal<readonly HookTopic[]>;
  others: Signal<readonly ShownHookFilter[]>;
}

export function HookEvents({ topics, others }: HookEventsProps) {
  const check = (topic: HookTopic, isChecked: boolean) => {
    topics.value = hookTopics.filter((one) => (one === topic ? isChecked : topics.value.includes(one)));
  };
  return (
    <fieldset>
      <legend>Events</legend>
      <div class="topics">
        {hookTopics.map((topic) => (
          <label key={topic.title} class="check">
            <input
              type="checkbox"
              checked={topics.value.includes(topic)}
              onChange={({ currentTarget }) => check(topic, currentTarget.checked)}
            />{' '}
            {topic.title}
          </label>
        ))}
      </div>
      {topics.value.length + others.value.length === 0 && (
        <p class="quiet">Without a choice every event is sent, heartbeats too.</p>
      )}
      <details open={others.peek().length > 0}>
        <summary>Filters by expressions</summary>
        <HookFilterFields filters={others} />
      </details>
    </fieldset>
  );
}
