/** `nw schedules`, `nw schedule`: launches and rollouts at due times. */
import { type Command, Option } from 'commander';
import type { ScheduleAction } from '../../../engine/api-port/index.ts';
import { type RunStatus, runStatuses } from '../../../engine/vocabulary/states.ts';
import type { GetAnswer } from '../../client/requests.ts';
import { duration } from '../../client/times.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { onRecord } from '../id-of.ts';
import { count } from '../option-values.ts';
import { type OutputFormat, showList, showRecord, type TableColumn } from '../output.ts';
import { describingSchedule, type ScheduleFlags, scheduleOf } from '../schedule-request.ts';
import { shownTime } from '../shown-time.ts';
import { say } from '../terminal.ts';
import { wholeList } from '../whole-list.ts';

type Schedule = GetAnswer<'/schedules/:id'>;
type Run = GetAnswer<'/schedules/:id/runs'>[number];

function whenText({ when }: Pick<Schedule, 'when'>): string {
  if ('cron' in when) return `${when.cron} ${when.zone}`;
  return 'at' in when ? `at ${shownTime(when.at)}` : `every ${duration(1_000 * when.everySec)}`;
}

const graphOf = ({ launch, rollout }: Schedule): string => launch?.name ?? rollout?.graph ?? '';

const outcomeText = ({ workflow, batch, rollout, reason }: Partial<Run>): string =>
  reason ?? workflow ?? batch ?? rollout ?? '';

const lastText = ({ last }: Schedule): string => (last === null ? '-' : `${last.status} ${shownTime(last.at)}`);

const columns: TableColumn<Schedule>[] = [
  { title: 'id', value: ({ id }) => id },
  { title: 'name', value: ({ name }) => name },
  { title: 'when', value: whenText },
  { title: 'graph', value: graphOf },
  { title: 'next', value: ({ paused, next }) => (paused ? 'paused' : (shownTime(next[0]) ?? '-')) },
  { title: 'last', value: lastText },
  { title: 'by', value: ({ createdBy }) => createdBy, wide: true },
];

const runColumns: TableColumn<Run>[] = [
  { title: 'due', value: ({ at }) => shownTime(at) },
  { title: 'status', value: ({ status }) => status },
  { title: 'started, or why not', value: outcomeText },
];

export function addScheduleCommands(root: Command): void {
  connecting(root.command('schedules')).description('lists schedules, and when they are due').action(list);
  const schedule = root.command('schedule').description('a launch or a rollout at due times');
  const about = (name: string, description: string) =>
    connecting(schedule.command(`${name} <schedule>`)).description(description);
  describingSchedule(connecting(schedule.command('add')))
    .description('creates a schedule, and prints its id')
    .action(add);
  about('show', 'shows a schedule, by its id').action(show);
  about('runs', 'lists the outcomes of its due times, newest first')
    .addOption(new Option('--status <status>', 'only these').choices(runStatuses))
    .option('--limit <number>', 'records; by default all', count)
    .action(runs);
  about('pause', 'nothing is due until it is resumed').action(acting('pause'));
  about('resume', 'due times count again, from now on').action(acting('resume'));
  about('run', 'starts it now').action(acting('run-now'));
  about('remove', 'deletes a schedule; what it started stays').action(remove);
}

const list = (options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body, total } = await wholeList((query) => client.get('/schedules', { query }));
    showList(body, columns, options.output, total);
  });

const add = (given: string, nodes: string[], options: ConnectionOptions & ScheduleFlags): Promise<void> =>
  withClient(options, async (client) => {
    const { body } = await client.post('/schedules', { body: await scheduleOf(client, given, nodes, options) });
    say(body.id);
  });

const show = (given: string, options: ConnectionOptions): Promise<void> =>
  onRecord('schedule', given, options, async (client, params) => {
    const { body } = await client.get('/schedules/:id', { params });
    showSchedule(body, options.output);
  });

const acting =
  (command: ScheduleAction['command']) =>
  (given: string, options: ConnectionOptions): Promise<void> =>
    onRecord('schedule', given, options, async (client, params) => {
      const { body } = await client.put('/schedules/:id/action', { params, body: { command } });
      showSchedule(body, options.output);
    });

const remove = (given: string, options: ConnectionOptions): Promise<void> =>
  onRecord('schedule', given, options, (client, params) => client.remove('/schedules/:id', { params }));

interface RunFlags extends ConnectionOptions {
  status?: RunStatus;
  limit?: number;
}

const runs = (given: string, { status, limit, ...options }: RunFlags): Promise<void> =>
  onRecord('schedule', given, options, async (client, params) => {
    const filter = status === undefined ? {} : { status };
    const { body, total } = await wholeList(
      (query) => client.get('/schedules/:id/runs', { params, query }),
      filter,
      limit,
    );
    showList(body, runColumns, options.output, total);
  });

function showSchedule(schedule: Schedule, format: OutputFormat): void {
  const { id, name, paused, overlap, missed, until, next, queued, last, createdBy } = schedule;
  showRecord(
    schedule,
    [
      ['id', id],
      ['name', name],
      ['when', whenText(schedule)],
      ['until', until && shownTime(until)],
      ['graph', graphOf(schedule)],
      ['paused', paused ? 'yes' : 'no'],
      ['overlap', overlap],
      ['missed', missed],
      ['next', next.map((at) => shownTime(at)).join(', ')],
      ['queued', queued],
      ['last', last && `${lastText(schedule)} ${outcomeText(last)}`],
      ['by', createdBy],
    ],
    format,
  );
}
