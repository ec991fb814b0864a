/** `nw node burn-in`: what the latest burn-in of a node measured. */
import type { Command } from 'commander';
import { type BurnInLine, burnInOf, burnInVerdictText } from '../../client/burn-in-texts.ts';
import { duration } from '../../client/times.ts';
import { type ConnectionOptions, connecting } from '../connection.ts';
import { CommandError } from '../exit-codes.ts';
import { onNode } from '../node-of.ts';
import { isTable, showAs, showList, type TableColumn } from '../output.ts';
import { shownTime } from '../shown-time.ts';
import { inform, printableText } from '../terminal.ts';

const took = (from: string | null, to: string | null): string | null =>
  from === null || to === null ? null : duration(Date.parse(to) - Date.parse(from));

const columns: TableColumn<BurnInLine>[] = [
  { title: 'test', value: ({ test }) => test },
  { title: 'target', value: ({ target }) => target || null },
  { title: 'measured', value: ({ measured }) => measured },
  { title: 'limit', value: ({ limit }) => limit || null },
  { title: 'result', value: ({ verdict }) => burnInVerdictText(verdict) || null },
  { title: 'took', value: ({ startedAt, endedAt }) => took(startedAt, endedAt) },
];

/** @param node the command `nw node` */
export function addBurnInCommand(node: Command): void {
  connecting(node.command('burn-in <node>'))
    .description('shows what the latest burn-in of a node measured')
    .action(show);
}

const show = (given: string, options: ConnectionOptions): Promise<void> =>
  onNode(given, options, async (client, { id, name }) => {
    const parts = { params: { identifier: id }, query: { source: 'burn-in' } };
    const [catalog] = (await client.get('/nodes/:identifier/catalogs', parts)).body;
    const node = printableText(name);
    if (catalog === undefined)
      throw new CommandError(`no burn-in of ${node} has ended; nw run Graph.BurnIn ${node} starts one`);
    const { output } = options;
    if (!isTable(output)) return showAs(output, catalog.data, () => {});
    const burnIn = burnInOf(catalog.data);
    if (burnIn === undefined)
      throw new CommandError(
        `the catalog burn-in of ${node} is no result of Graph.BurnIn; nw node catalogs ${node} burn-in prints it`,
      );
    const { run, verdict, startedAt, endedAt, lines, problems } = burnIn;
    inform(
      `${node} ${verdict === 'unknown' ? 'has an incomplete burn-in' : `${verdict} its burn-in`}: ended ${shownTime(endedAt)}, took ${took(startedAt, endedAt)}, workflow ${printableText(run)}`,
    );
    for (const problem of problems) inform(`  ${printableText(problem)}`);
    showList(lines, columns, output);
  });
