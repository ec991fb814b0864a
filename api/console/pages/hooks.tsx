/** Web hooks, and the deliveries of one. */
import { useLocation } from 'preact-iso';
import { Heading } from '../parts/heading.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { HookDeliveries } from './listeners/deliveries.tsx';
import { EventReaders } from './listeners/event-readers.tsx';
import { HookList } from './listeners/hook-list.tsx';

export function HooksPage() {
  const { hook } = useLocation().query;
  const list = { name: 'hooks', title: 'Hooks', content: () => <HookList /> };
  const deliveries = (of: string) => ({
    name: 'deliveries',
    title: 'Deliveries',
    content: () => <HookDeliveries hook={of} />,
  });
  return (
    <>
      <Heading>Hooks</Heading>
      <EventReaders>
        {hook === undefined ? <HookList /> : <Tabs label="Parts of the hook" tabs={[list, deliveries(hook)]} />}
      </EventReaders>
    </>
  );
}
