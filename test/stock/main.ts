/**
 * `npm run stock [-- --json] [--rackhd CHECKOUT] [--graph NAME ...] [--limit SECONDS]`: launches every graph that ships, and those of a checkout
 * in RackHD's layout, with its example on a machine of a twin, and prints how it ended and what it changed. A run of all that
 * ship, and of no others, writes `graphs/STOCK.md`. Exit code 1: a graph hangs; 2: wrong options.
 */
import { writeFileSync } from 'node:fs';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { noIpmiSim } from '../support/bmcs/ipmi-sim.ts';
import { stockRows } from './stock.ts';
import { stockOptions } from './stock-options.ts';
import { STOCK_PAGE, stockPage, stockTable } from './stock-page.ts';

function fail(text: string): never {
  console.error(`stock: ${text}`);
  process.exit(2);
}

function checkedOptions() {
  try {
    return stockOptions(process.argv.slice(2));
  } catch (error) {
    return fail((error as Error).message);
  }
}

if (noIpmiSim !== undefined) fail('a machine with IPMI needs ipmi_sim (Debian: openipmi)');
const { json, ...plan } = checkedOptions();
const rows = await stockRows(plan, ({ graph, outcome }) => console.error(`${graph}: ${outcome}`)).catch(
  (error: Error) => fail(error.message),
);
if (json) console.log(JSON.stringify(rows, null, 2));
console[json ? 'error' : 'log'](stockTable(rows));
const outcomes = rows.map(({ outcome }) => outcome);
const count = (outcome: string) => outcomes.filter((one) => one === outcome).length;
console.error([...new Set(outcomes)].map((outcome) => `${count(outcome)} ${outcome}`).join(', '));
if (plan.graphs.length === 0 && plan.checkout === undefined) writeFileSync(packagePath(STOCK_PAGE), stockPage(rows));
process.exit(outcomes.includes('hangs') ? 1 : 0);
