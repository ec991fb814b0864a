/** Every graph that ships does its job on a machine of a twin, as `graphs/STOCK.md` says; and what the table says of others. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { noIpmiSim } from '../support/bmcs/ipmi-sim.ts';
import { conditions, shippedConditions } from './conditions.ts';
import { stockRows } from './stock.ts';
import { shippedGraphs } from './stock-graphs.ts';
import { stockOptions } from './stock-options.ts';
import { outcomesIn, STOCK_PAGE, stockPage } from './stock-page.ts';

const real = needing(noIpmiSim);

real.serial(
  'each graph that ships does on a twin what the page says, and only those change nothing that say so',
  async (t) => {
    t.timeout(4 * WAIT_MS);
    const rows = await stockRows({ graphs: [], limitMs: WAIT_MS });
    const evidence = JSON.stringify(rows, null, 1);
    const outcomes = new Map(rows.map(({ graph, outcome }) => [graph, outcome]));
    t.deepEqual([...outcomesIn(readFileSync(packagePath(STOCK_PAGE), 'utf8'))], [...outcomes], evidence);
    const isDone = ({ graph, outcome }: (typeof rows)[number]) =>
      outcome === (conditions[graph]?.changesNothing === true ? 'without effect' : 'did its job');
    t.deepEqual(
      rows.filter((row) => !isDone(row)),
      [],
    );
  },
);

/** A checkout in RackHD's layout, with one graph of each kind that cannot do its job. */
function checkout(t: ExecutionContext): string {
  const root = folder(t);
  const graphs = join(root, 'lib/graphs');
  mkdirSync(graphs, { recursive: true });
  const add = (name: string, taskName: string, options: object = {}) =>
    writeFileSync(
      join(graphs, `${name}.json`),
      JSON.stringify({
        injectableName: `Graph.${name}`,
        friendlyName: name,
        tasks: [{ label: 'only', taskName, optionOverrides: options }],
      }),
    );
  add('Unknown', 'Task.No.Such');
  add('Incomplete', 'Task.Firmware.Update');
  add('Late', 'Task.Wait.Notification', { _taskTimeout: 50 });
  add('Waiting', 'Task.Wait.Notification');
  add('Idle', 'Task.noop', { delay: 1 });
  return root;
}

real.serial('graphs of a checkout are run too: one that hangs, fails or is refused has its reason', async (t) => {
  t.timeout(4 * WAIT_MS);
  const names = ['Unknown', 'Incomplete', 'Late', 'Waiting', 'Idle'].map((name) => `Graph.${name}`);
  const rows = await stockRows({ graphs: names, checkout: checkout(t), limitMs: 5_000 });
  const byName = Object.fromEntries(rows.map(({ graph, outcome, why }) => [graph, `${outcome}: ${why}`]));
  t.regex(byName['Graph.Unknown'] ?? '', /^refused: .*Task\.No\.Such/);
  t.regex(byName['Graph.Incomplete'] ?? '', /^refused: [A-Z_]+: /);
  t.regex(byName['Graph.Late'] ?? '', /^failed: [A-Z_]+: /);
  t.regex(byName['Graph.Waiting'] ?? '', /^hangs: only: /);
  t.is(byName['Graph.Idle'], 'without effect: ');
});

test('each condition is that of a graph that ships, and what runs before it ships too', (t) => {
  const names = shippedGraphs().map(({ name }) => name);
  for (const [name, { before = name }] of Object.entries(shippedConditions)) {
    t.true(names.includes(name), name);
    t.true(names.includes(before), before);
  }
});

test('a page says the outcome of each row, also where cells are too long or have the mark of a column', (t) => {
  const row = { graph: 'Graph.A', example: { run: { command: 'x' } }, why: `a | ${'b'.repeat(99)}`, ledger: [] };
  const page = stockPage([{ ...row, outcome: 'did its job' }]);
  t.deepEqual([...outcomesIn(page)], [['Graph.A', 'did its job']]);
});

test('wrong options are refused, and so is a graph that does not exist', async (t) => {
  t.throws(() => stockOptions(['--limit', 'x']), { message: /^--limit: found x, expected seconds/ });
  t.throws(() => stockOptions(['--speed', '3']), { message: /Unknown option '--speed'/ });
  const plan = stockOptions(['--graph', 'Graph.None', '--limit', '3']);
  t.is(plan.limitMs, 3_000);
  await t.throwsAsync(stockRows(plan), { message: /^--graph: found Graph\.None, expected one of Graph\.Baseline/ });
});
