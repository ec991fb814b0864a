/** `nw rules`, `nw rule`: a launch or a hold on the node of each event that matches. */
import { type Command, Option } from 'commander';
import { type RuleRunStatus, ruleRunStatuses } from '../../../engine/vocabulary/states.ts';
import type { GetAnswer, PostAnswer } from '../../client/requests.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { onRecord } from '../id-of.ts';
import { type NodeText, nodeTexts } from '../node-names.ts';
import { count, jsonRecord, timeSpan } from '../option-values.ts';
import { type OutputFormat, showList, showRecord, type TableColumn } from '../output.ts';
import { shownTime } from '../shown-time.ts';
import { inform, say } from '../terminal.ts';
import { wholeList } from '../whole-list.ts';

type Rule = GetAnswer<'/rules/:id'>;
type RuleRun = GetAnswer<'/rules/:id/runs'>[number];
type TestedEvent = PostAnswer<'/rules/:id/test'>['events' | 'limited'][number] & { message?: string };

const RULE = 'the rule as JSON, or its file: name, on, launch or hold, limits';

const filterText = ({ on }: Rule): string =>
  Object.entries(on)
    .map(([key, pattern]) => `${key}=${pattern}`)
    .join(' ');

function effectText({ launch, hold }: Rule): string {
  if (launch !== undefined) return launch.name;
  return hold === undefined ? '' : `hold ${hold.kind}${hold.forMinutes === undefined ? '' : ` ${hold.forMinutes} min`}`;
}

const runText = ({ workflow, hold, message }: RuleRun): string => message ?? workflow ?? hold ?? '';

const columns: TableColumn<Rule>[] = [
  { title: 'id', value: ({ id }) => id },
  { title: 'name', value: ({ name }) => name },
  { title: 'enabled', value: ({ enabled }) => (enabled ? 'yes' : 'no') },
  { title: 'on', value: filterText },
  { title: 'does', value: effectText },
  { title: 'by', value: ({ createdBy }) => createdBy, wide: true },
];

const runColumnsWith = (nameOf: NodeText): TableColumn<RuleRun>[] => [
  { title: 'at', value: ({ createdAt }) => shownTime(createdAt) },
  { title: 'event', value: ({ type, action }) => `${type}.${action}` },
  { title: 'node', value: ({ node }) => nameOf(node) },
  { title: 'status', value: ({ status }) => status },
  { title: 'begun, or why not', value: runText },
];

export function addRuleCommands(root: Command): void {
  connecting(root.command('rules')).description('lists rules: what an event starts on its node').action(list);
  const rule = root.command('rule').description('a launch or a hold on the node of each event that matches');
  const about = (name: string, description: string) =>
    connecting(rule.command(`${name} <rule>`)).description(description);
  connecting(rule.command('add').argument('<rule>', RULE, jsonRecord))
    .description('creates a rule, which is disabled, and prints its id')
    .action(add);
  about('show', 'shows a rule, by its id').action(show);
  about('test', 'lists the events of the log on which it would have acted')
    .option('--since <time>', 'such as 2h: events of this time; by default all', timeSpan)
    .action(test);
  about('enable', 'it acts on events from now on').action(enabling(true));
  about('disable', 'it acts on no event until it is enabled').action(enabling(false));
  about('runs', 'lists the events that matched, and what it did, newest first')
    .addOption(new Option('--status <status>', 'only these').choices(ruleRunStatuses))
    .option('--limit <number>', 'records; by default all', count)
    .action(runs);
  about('remove', 'deletes a rule; its workflows and holds stay').action(remove);
}

const list = (options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body, total } = await wholeList((query) => client.get('/rules', { query }));
    showList(body, columns, options.output, total);
  });

const add = (given: unknown, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body } = await client.post('/rules', { body: given as never });
    say(body.id);
  });

const show = (given: string, options: ConnectionOptions): Promise<void> =>
  onRecord('rule', given, options, async (client, params) => {
    const { body } = await client.get('/rules/:id', { params });
    showRule(body, options.output);
  });

const enabling =
  (enabled: boolean) =>
  (given: string, options: ConnectionOptions): Promise<void> =>
    onRecord('rule', given, options, async (client, params) => {
      const { body } = await client.patch('/rules/:id', { params, body: { enabled } });
      showRule(body, options.output);
    });

const remove = (given: string, options: ConnectionOptions): Promise<void> =>
  onRecord('rule', given, options, (client, params) => client.remove('/rules/:id', { params }));

interface TestFlags extends ConnectionOptions {
  /** ms before now. */
  since?: number;
}

const test = (given: string, { since, ...options }: TestFlags): Promise<void> =>
  onRecord('rule', given, options, async (client, params) => {
    const query = since === undefined ? {} : { since: new Date(Date.now() - since).toISOString() };
    const { body } = await client.post('/rules/:id/test', { params, query });
    const all = [...body.events, ...body.limited].sort((one, other) => one.seq - other.seq);
    const nameOf = await nodeTexts(
      client,
      all.map(({ nodeId }) => nodeId),
      options.output,
    );
    showList(all, testColumnsWith(nameOf), options.output);
    if (!body.isComplete) inform(`there are more events after ${body.upTo}`);
  });

const testColumnsWith = (nameOf: NodeText): TableColumn<TestedEvent>[] => [
  { title: 'seq', value: ({ seq }) => seq },
  { title: 'at', value: ({ createdAt }) => shownTime(createdAt) },
  { title: 'event', value: ({ type, action }) => `${type}.${action}` },
  { title: 'severity', value: ({ severity }) => severity },
  { title: 'node', value: ({ nodeId }) => nameOf(nodeId) },
  { title: 'it would', value: ({ message }) => message ?? 'act' },
];

interface RunFlags extends ConnectionOptions {
  status?: RuleRunStatus;
  limit?: number;
}

const runs = (given: string, { status, limit, ...options }: RunFlags): Promise<void> =>
  onRecord('rule', given, options, async (client, params) => {
    const filter = status === undefined ? {} : { status };
    const { body, total } = await wholeList((query) => client.get('/rules/:id/runs', { params, query }), filter, limit);
    const nameOf = await nodeTexts(
      client,
      body.map(({ node }) => node),
      options.output,
    );
    showList(body, runColumnsWith(nameOf), options.output, total);
  });

function showRule(rule: Rule, format: OutputFormat): void {
  const { id, name, enabled, limits, hold, createdBy } = rule;
  showRecord(
    rule,
    [
      ['id', id],
      ['name', name],
      ['enabled', enabled ? 'yes' : 'no'],
      ['on', filterText(rule)],
      ['does', effectText(rule)],
      ['reason', hold?.reason],
      ['limits', `${limits.perNodePerDay} per node and day, ${limits.perHour} per hour`],
      ['by', createdBy],
    ],
    format,
  );
}
