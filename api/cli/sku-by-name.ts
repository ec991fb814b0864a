/** SKUs as users name them: by name, or by id. */
import type { Client } from './client.ts';
import { CommandError } from './exit-codes.ts';
import { printableText } from './terminal.ts';
import { wholeList } from './whole-list.ts';

/** @returns the id @throws CommandError if there is none */
export async function skuNamed(client: Client, given: string): Promise<string> {
  const { body } = await wholeList((query) => client.get('/skus', { query }));
  const sku = body.find(({ name }) => name === given) ?? body.find(({ id }) => id === given);
  if (sku !== undefined) return sku.id;
  throw new CommandError(`no SKU is called ${printableText(given)}; nw skus lists them`);
}

/** @returns the names, by id */
export async function skuNames(client: Client): Promise<ReadonlyMap<string | null, string>> {
  const { body } = await wholeList((query) => client.get('/skus', { query }));
  return new Map(body.map(({ id, name }) => [id, name]));
}
