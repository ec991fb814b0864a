/** `nw calendar`: when windows are open and schedules are due. */
import type { Command } from 'commander';
import { DAY_MS } from '../../../engine/vocabulary/units.ts';
import type { GetAnswer } from '../../client/requests.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { count } from '../option-values.ts';
import { showList, type TableColumn } from '../output.ts';
import { shownTime } from '../shown-time.ts';

type PlannedTime = GetAnswer<'/calendar'>['times'][number];

const columns: TableColumn<PlannedTime>[] = [
  { title: 'from', value: ({ from }) => shownTime(from) },
  { title: 'to', value: ({ to }) => (to === null ? '-' : shownTime(to)) },
  { title: 'what', value: ({ kind }) => kind },
  { title: 'name', value: ({ name, more }) => (more ? `${name}, and later times` : name) },
  { title: 'starts', value: ({ graph }) => graph ?? '-' },
];

export function addCalendarCommand(root: Command): void {
  connecting(root.command('calendar'))
    .description('lists when windows are open and schedules are due')
    .option('--days <number>', 'from now, at most 31', count, 7)
    .action(list);
}

const list = ({ days, ...options }: ConnectionOptions & { days: number }): Promise<void> =>
  withClient(options, async (client) => {
    const from = Date.now();
    const query = { from: new Date(from).toISOString(), to: new Date(from + days * DAY_MS).toISOString() };
    const { body } = await client.get('/calendar', { query });
    showList(body.times, columns, options.output);
  });
