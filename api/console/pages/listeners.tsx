/** Receivers of events: web hooks and their deliveries; and the events themselves as they happen. */
import { useLocation } from 'preact-iso';
import { may } from '../data/current-user.ts';
import { Heading } from '../parts/heading.tsx';
import { type Tab, Tabs } from '../parts/tabs.tsx';
import { HookDeliveries } from './listeners/deliveries.tsx';
import { EventTailTab } from './listeners/event-tail.tsx';
import { HookList } from './listeners/hooks.tsx';
import { SubscribeHint } from './listeners/subscribe.tsx';

export function ListenersPage() {
  const { query } = useLocation();
  const { hook } = query;
  const tabs: Tab[] = [
    { name: 'hooks', title: 'Hooks', content: () => <HookList /> },
    ...(hook === undefined
      ? []
      : [{ name: 'deliveries', title: 'Deliveries', content: () => <HookDeliveries hook={hook} /> }]),
    { name: 'events', title: 'Events', content: () => <EventTailTab /> },
    { name: 'subscribe', title: 'Subscribe', content: () => <SubscribeHint /> },
  ];
  return (
    <>
      <Heading>Listeners</Heading>
      {may('monitoring') ? (
        <Tabs label="Listeners" tabs={tabs} />
      ) : (
        <p class="quiet">
          Your role may not read hooks and events. The privilege Read or ConfigureComponents is needed.
        </p>
      )}
    </>
  );
}
