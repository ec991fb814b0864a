/** Events as they happen, and the ways in which programs receive them. */
import { Heading } from '../parts/heading.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { EventReaders } from './listeners/event-readers.tsx';
import { EventTailTab } from './listeners/event-tail.tsx';
import { SubscribeHint } from './listeners/subscribe.tsx';

export function EventsPage() {
  return (
    <>
      <Heading>Events</Heading>
      <EventReaders>
        <Tabs
          label="Parts of the page"
          tabs={[
            { name: 'events', title: 'Live', content: () => <EventTailTab /> },
            { name: 'subscribe', title: 'Subscribe', content: () => <SubscribeHint /> },
          ]}
        />
      </EventReaders>
    </>
  );
}
