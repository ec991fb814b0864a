/** Events as they happen, newest first; older ones on demand. */
import { batch, useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { countText, nounFor } from '../../../../engine/vocabulary/count-texts.ts';
import type { LogEvent } from '../../../client/follow-events.ts';
import { newestPosition, readEarlier } from '../../../client/log-positions.ts';
import { client } from '../../data/daemon-client.ts';
import { onEvents } from '../../data/live.ts';
import { nameOfNode } from '../../data/nodes.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { anyEvent, eventMatcherOf, ROWS_SHOWN, withEvents, withOlder } from './event-buffer.ts';
import { EventFilterFields } from './event-filter-fields.tsx';
import { EventTable } from './event-table.tsx';

/** Maximum rows that a click on "Load older" adds. */
const OLDER = 200;
/** ms; many events are drawn together. */
const DRAW_MS = 150;

const readEvents = async (after: number, limit: number): Promise<readonly LogEvent[]> =>
  (await client.get('/events', { query: { after, limit } })).body;

/** A failure is shown when the button is pressed. */
const noMatter = () => {};

/** Events after the newest one that is shown. @param seq undefined: nothing is shown yet */
const readSince = (seq: number | undefined) => (seq === undefined ? Promise.resolve([]) : readEvents(seq, ROWS_SHOWN));

export function EventTailTab() {
  const buffer = useSignal<readonly LogEvent[]>([]);
  const filter = useSignal(anyEvent);
  const isPaused = useSignal(false);
  const missed = useSignal(0);
  /** The oldest position that was looked at; 0: none yet. */
  const oldest = useSignal(0);
  const isAll = useSignal(false);
  const isRead = useSignal(false);
  const shownEvents = useComputed(() =>
    buffer.value.filter(eventMatcherOf(filter.value, nameOfNode)).slice(0, ROWS_SHOWN),
  );
  const loadOlder = async () => {
    const before = oldest.value || buffer.value.at(-1)?.seq || 1 + (await newestPosition(readEvents));
    const earlierEvents = await readEarlier(readEvents, before, eventMatcherOf(filter.value, nameOfNode), OLDER);
    batch(() => {
      buffer.value = withOlder(buffer.value, earlierEvents.items);
      [oldest.value, isAll.value] = [earlierEvents.from, earlierEvents.isAll];
    });
  };
  useEffect(() => {
    const readFirst = () =>
      loadOlder().then(() => {
        isRead.value = true;
      }, noMatter);
    void readFirst();
    let received: LogEvent[] = [];
    const ignore = onEvents((event) => {
      if (event !== undefined) received.push(event);
      else if (!isRead.peek()) void readFirst();
      else readSince(buffer.peek()[0]?.seq).then((missed) => received.push(...missed), noMatter);
    });
    const timer = setInterval(() => {
      if (received.length === 0) return;
      if (isPaused.value) missed.value += received.length;
      else buffer.value = withEvents(buffer.value, received);
      received = [];
    }, DRAW_MS);
    return () => {
      ignore();
      clearInterval(timer);
    };
  }, []);
  const resume = () =>
    batch(() => {
      [isPaused.value, missed.value] = [!isPaused.value, 0];
    });
  return (
    <>
      <EventFilterFields
        filter={filter}
        changed={() => {
          // With other filters the same positions have other events.
          [oldest.value, isAll.value] = [0, false];
        }}
      />
      <p class="actions">
        <button type="button" aria-pressed={isPaused.value} onClick={resume}>
          {isPaused.value ? 'Continue' : 'Pause'}
        </button>
        {isAll.value ? (
          <span class="quiet">No older events are kept.</span>
        ) : (
          <ActionButton run={loadOlder}>Load older</ActionButton>
        )}
        <span class="quiet" role="status">
          {isPaused.value &&
            `${countText(missed.value, 'event')} since the pause ${nounFor(missed.value, 'was', 'were')} not kept here. `}
          {shownEvents.value.length === ROWS_SHOWN
            ? `The newest ${ROWS_SHOWN} that match`
            : isRead.value || shownEvents.value.length > 0
              ? countText(shownEvents.value.length, 'event')
              : 'Loading'}
        </span>
      </p>
      {(isRead.value || shownEvents.value.length > 0) && <EventTable events={shownEvents.value} />}
    </>
  );
}
