/** The options of `npm run stock`, checked. */
import { parseArgs } from 'node:util';
import { WAIT_MS } from '../support/ava/patience.ts';
import type { StockPlan } from './stock.ts';

export interface StockOptionsGiven extends StockPlan {
  /** Prints JSON, not a table. */
  json: boolean;
}

/** @throws Error with one line that says what was found and expected */
export function stockOptions(args: readonly string[]): StockOptionsGiven {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean', default: false },
      rackhd: { type: 'string' },
      limit: { type: 'string' },
      graph: { type: 'string', multiple: true, default: [] },
    },
  });
  const { json, rackhd, graph, limit } = values;
  if (limit !== undefined && !/^[1-9]\d{0,4}$/.test(limit)) {
    throw new Error(`--limit: found ${limit}, expected seconds from 1 to 99999`);
  }
  const limitMs = limit === undefined ? WAIT_MS : Number(limit) * 1_000;
  return { json, graphs: graph, limitMs, ...(rackhd !== undefined && { checkout: rackhd }) };
}
