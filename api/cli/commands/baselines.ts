/** `nw baselines`, `nw baseline`: the firmware and BIOS settings that the nodes of a SKU must have. */
import { type Command, Option } from 'commander';
import type { ProposableState } from '../../../engine/api-port/baselines.ts';
import type { BaselineChange, NewBaseline, RolloutBody } from '../../../engine/api-port/index.ts';
import { deviceName, differenceName, microkernelText } from '../../../engine/vocabulary/baseline-texts.ts';
import type { JsonObject } from '../../../engine/vocabulary/json.ts';
import type { GetAnswer } from '../../client/requests.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { idOf, onRecord } from '../id-of.ts';
import { count, jsonRecord } from '../option-values.ts';
import { isTable, type OutputFormat, showList, showRecord, type TableColumn } from '../output.ts';
import { type PaceFlags, pacePartOf, pacing } from '../rollout-request.ts';
import { showRolloutPlan } from '../rollout-view.ts';
import { shownTime } from '../shown-time.ts';
import { inform, printableText, say } from '../terminal.ts';
import { wholeList } from '../whole-list.ts';

type Baseline = GetAnswer<'/baselines/:id'>;
type Drift = GetAnswer<'/baselines/:id/drift'>[number];

const BASELINE = 'the baseline as JSON, or its file: name, sku, firmware, bios, inBand';
const MORE = 'more of the rollout as JSON, or its file: phases, limits, gates, window, ticket';

const columns: TableColumn<Baseline>[] = [
  { title: 'id', value: ({ id }) => id },
  { title: 'name', value: ({ name }) => name },
  { title: 'sku', value: ({ sku }) => sku },
  { title: 'firmware', value: ({ firmware }) => firmware.length },
  { title: 'bios', value: ({ bios }) => Object.keys(bios).length },
  { title: 'in band', value: ({ inBand }) => inBand.length },
  { title: 'changed', value: ({ updatedAt }) => shownTime(updatedAt) },
];

const differenceText = (one: Drift['differences'][number]): string =>
  `${differenceName(one)}: ${one.found ?? 'missing'}, expected ${one.expected}`;

const driftTexts = ({ differences, lacks }: Drift): string[] => [
  ...lacks.map((source) => `not known without the catalog ${source}`),
  ...differences.map(differenceText),
];

const driftColumns: TableColumn<Drift>[] = [
  { title: 'node', value: ({ node }) => node },
  { title: 'name', value: ({ name }) => name },
  { title: 'state', value: ({ state }) => state },
  { title: 'differences', value: (one) => driftTexts(one).join('; ') },
  { title: 'read', value: ({ readAt }) => shownTime(readAt) ?? '-' },
];

export function addBaselineCommands(root: Command): void {
  connecting(root.command('baselines')).description('lists baselines').action(list);
  const baseline = root
    .command('baseline')
    .description('the firmware and BIOS settings that the nodes of a SKU must have');
  const about = (name: string, description: string) =>
    connecting(baseline.command(`${name} <baseline>`)).description(description);
  connecting(baseline.command('add').argument('<baseline>', BASELINE, jsonRecord))
    .description('creates a baseline, and prints its id; `sku` is a name or an id')
    .action(add);
  about('show', 'shows a baseline, by its name or id').action(show);
  about('change', 'changes parts of a baseline').argument('<change>', BASELINE, jsonRecord).action(change);
  about('remove', 'deletes a baseline').action(remove);
  about('drift', 'lists the nodes of its SKU, and how they differ')
    .addOption(new Option('--state <state>', 'only these').choices(['matches', 'differs', 'unknown']))
    .option('--limit <number>', 'records; by default all', count)
    .action(drift);
  pacing(about('rollout', 'starts the rollout that brings all nodes that differ to it'))
    .argument('[more]', MORE, jsonRecord)
    .option('--name <name>', 'of the rollout')
    .addOption(new Option('--state <state>', 'of its nodes').choices(['differs', 'unknown']).default('differs'))
    .option('--plan', 'shows its targets, what boots the microkernel, and what would be rejected; starts nothing')
    .action(rollout);
}

function showBaseline(baseline: Baseline, format: OutputFormat): void {
  const { id, name, sku, firmware, bios, inBand, createdBy, updatedAt } = baseline;
  const image = (one: Baseline['firmware'][number]) => one.image ?? one.file ?? 'compared only';
  showRecord(
    baseline,
    [
      ['id', id],
      ['name', name],
      ['sku', sku],
      ...firmware.map((one) => [one.component, `${one.version} (${image(one)})`] as const),
      ...Object.entries(bios),
      ...inBand.map(
        (one) => [differenceName({ ...one, name: deviceName(one) }), `${one.version} (${one.file}, in band)`] as const,
      ),
      ['by', createdBy],
      ['changed', shownTime(updatedAt)],
    ],
    format,
  );
}

const list = (options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body, total } = await wholeList((query) => client.get('/baselines', { query }));
    showList(body, columns, options.output, total);
  });

/** The daemon checks the rest. */
const withSku = async (client: Client, given: JsonObject): Promise<JsonObject> =>
  typeof given.sku === 'string' ? { ...given, sku: await idOf(client, 'SKU', given.sku) } : given;

const add = (given: JsonObject, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body } = await client.post('/baselines', {
      body: (await withSku(client, given)) as unknown as NewBaseline,
    });
    say(body.id);
  });

const show = (given: string, options: ConnectionOptions): Promise<void> =>
  onRecord('baseline', given, options, async (client, params) => {
    showBaseline((await client.get('/baselines/:id', { params })).body, options.output);
  });

const change = (given: string, changed: JsonObject, options: ConnectionOptions): Promise<void> =>
  onRecord('baseline', given, options, async (client, params) => {
    const body = (await withSku(client, changed)) as unknown as BaselineChange;
    showBaseline((await client.patch('/baselines/:id', { params, body })).body, options.output);
  });

const remove = (given: string, options: ConnectionOptions): Promise<void> =>
  onRecord('baseline', given, options, (client, params) => client.remove('/baselines/:id', { params }));

interface DriftFlags extends ConnectionOptions {
  state?: Drift['state'];
  limit?: number;
}

const drift = (given: string, { state, limit, ...options }: DriftFlags): Promise<void> =>
  onRecord('baseline', given, options, async (client, params) => {
    const { body, total } = await wholeList(
      (query) => client.get('/baselines/:id/drift', { params, query }),
      state === undefined ? {} : { state },
      limit,
    );
    showList(body, driftColumns, options.output, total);
  });

interface RolloutFlags {
  plan?: boolean;
  state: ProposableState;
}

const rollout = (
  given: string,
  more: JsonObject | undefined,
  { plan, state, ...options }: ConnectionOptions & PaceFlags & RolloutFlags,
): Promise<void> =>
  onRecord('baseline', given, options, async (client, params) => {
    const { body: begun } = await client.get('/baselines/:id/rollout', { params, query: { state } });
    const body = { ...begun, ...more, ...(await pacePartOf(client, options)) } as RolloutBody;
    if (!plan) return say((await client.post('/rollouts', { body })).body.id);
    await showRolloutPlan(client, (await client.post('/rollouts/plan', { body })).body, options.output);
    if (!isTable(options.output)) return;
    const drift = await wholeList((query) => client.get('/baselines/:id/drift', { params, query }), { state });
    inform(printableText(`${microkernelText(drift.body) ?? 'No node boots the microkernel'}.`));
  });
