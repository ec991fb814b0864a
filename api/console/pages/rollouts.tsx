/** Work on many nodes: rollouts, the tickets that they wait for, and when they may begin. */
import { may } from '../data/current-user.ts';
import { Heading } from '../parts/heading.tsx';
import { type Tab, Tabs } from '../parts/tabs.tsx';
import { BatchList } from './rollouts/batch-list.tsx';
import { CalendarWeek } from './rollouts/calendar-week.tsx';
import { RehearsalList } from './rollouts/rehearsal-list.tsx';
import { RolloutList } from './rollouts/rollout-list.tsx';
import { RuleList } from './rollouts/rule-list.tsx';
import { ScheduleList } from './rollouts/schedule-list.tsx';
import { TicketList } from './rollouts/ticket-list.tsx';
import { WindowList } from './rollouts/window-list.tsx';
import '../styles/rollouts.css';

export function RolloutsPage() {
  const all: (Tab & { isShown: boolean })[] = [
    { name: 'rollouts', title: 'Rollouts', content: () => <RolloutList />, isShown: may('components') },
    {
      name: 'rehearsals',
      title: 'Rehearsals',
      content: () => <RehearsalList />,
      isShown: may('components', 'GET', null),
    },
    { name: 'batches', title: 'Batches', content: () => <BatchList />, isShown: may('components') },
    { name: 'tickets', title: 'Tickets', content: () => <TicketList />, isShown: may('tickets') },
    { name: 'schedules', title: 'Schedules', content: () => <ScheduleList />, isShown: may('fleet') },
    { name: 'calendar', title: 'Calendar', content: () => <CalendarWeek />, isShown: may('fleet') },
    { name: 'rules', title: 'Rules', content: () => <RuleList />, isShown: may('fleet', 'GET', null) },
    { name: 'windows', title: 'Windows', content: () => <WindowList />, isShown: may('fleet') },
  ];
  return (
    <>
      <Heading>Rollouts</Heading>
      <Tabs label="Rollouts" tabs={all.filter(({ isShown }) => isShown)} />
    </>
  );
}
