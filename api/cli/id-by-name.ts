/** SKUs, baselines and windows as users name them: by name, or by id. */
import type { Client } from './client.ts';
import { CommandError } from './exit-codes.ts';
import { printableText } from './terminal.ts';
import { wholeList } from './whole-list.ts';

interface NamedRecord {
  id: string;
  name: string;
}

const skusOf = async (client: Client) => (await wholeList((query) => client.get('/skus', { query }))).body;

/** @throws CommandError if there is none; so do the others */
export const skuNamed = async (client: Client, given: string): Promise<string> =>
  idNamed(await skusOf(client), given, 'no SKU is called %; nw skus lists them');

export const baselineNamed = async (client: Client, given: string): Promise<string> =>
  idNamed(
    (await wholeList((query) => client.get('/baselines', { query }))).body,
    given,
    'no baseline is called %; nw baselines lists them',
  );

export const windowNamed = async (client: Client, given: string): Promise<string> =>
  idNamed(
    (await wholeList((query) => client.get('/windows', { query }))).body,
    given,
    'no window is called %; nw windows lists them',
  );

/** @param missing the message, with `%` for what was given */
function idNamed(records: readonly NamedRecord[], given: string, missing: string): string {
  const [record, other] = records.filter(({ name }) => name === given);
  const { id } = record ?? records.find((one) => one.id === given) ?? {};
  if (id === undefined) throw new CommandError(missing.replace('%', () => printableText(given)));
  if (other === undefined) return id;
  throw new CommandError(`several are called ${printableText(given)}: ${id}, ${other.id}; give the id`);
}

/** @returns the names, by id */
export const skuNames = async (client: Client): Promise<ReadonlyMap<string | null, string>> =>
  new Map((await skusOf(client)).map(({ id, name }) => [id, name]));
