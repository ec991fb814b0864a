/** Records as users name them: by name, by id, or by the beginning of an id, as tables show it. */
import type { ListQuery } from '../client/requests.ts';
import { ApiError } from './api-error.ts';
import type { Client } from './client.ts';
import { type ConnectionOptions, withClient } from './connection.ts';
import { CommandError } from './exit-codes.ts';
import { suggestion } from './suggestion.ts';
import { printableText } from './terminal.ts';
import { wholeList } from './whole-list.ts';

const kinds = {
  SKU: { path: '/skus', list: 'nw skus', isNamed: true },
  baseline: { path: '/baselines', list: 'nw baselines', isNamed: true },
  window: { path: '/windows', list: 'nw windows', isNamed: true },
  schedule: { path: '/schedules', list: 'nw schedules', isNamed: true },
  rule: { path: '/rules', list: 'nw rules', isNamed: true },
  rollout: { path: '/rollouts', list: 'nw rollouts', isNamed: true },
  batch: { path: '/batches', list: 'nw batches', isNamed: false },
  ticket: { path: '/tickets', list: 'nw tickets', isNamed: false },
  action: { path: '/workflows/actions', list: 'nw actions', isNamed: false },
  hold: { path: '/holds', list: 'nw holds', isNamed: false },
} as const;

/** The shortest beginning is what tables show. */
const BEGINNING = /^[0-9a-f]{8}(?:-[0-9a-f-]{0,27})?$/i;

/** @param given a name, an id, or the beginning of one @throws CommandError if there is none, or if there are several */
export async function idOf(client: Client, kind: keyof typeof kinds, given: string): Promise<string> {
  const { path, list, isNamed } = kinds[kind];
  const look = (query: ListQuery): Promise<{ body: { id: string }[] }> => client.get(path, { query });
  const [record, other] = isNamed ? (await look({ name: given, fields: 'name', $top: 2 })).body : [];
  if (other !== undefined)
    throw new CommandError(`several are called ${printableText(given)}: ${record?.id}, ${other.id}; give the id`);
  const id = record?.id ?? (await beginningWith(look, given, 'id'))?.id;
  if (id !== undefined) return id;
  const [has, near] = isNamed ? ['is called', await suggestion(client, path, given)] : ['has the id', ''];
  throw new CommandError(`no ${kind} ${has} ${printableText(given)}; ${list} lists them${printableText(near)}`);
}

/** Runs work on the record that a user names. */
export const onRecord = (
  kind: keyof typeof kinds,
  given: string,
  options: ConnectionOptions,
  work: (client: Client, params: { id: string }) => Promise<void>,
): Promise<void> => withClient(options, async (client) => work(client, { id: await idOf(client, kind, given) }));

/** @param given several with commas @returns undefined if none is given */
export const idsOf = async (client: Client, kind: keyof typeof kinds, given: string | undefined) =>
  given && (await Promise.all(given.split(',').map((one) => idOf(client, kind, one)))).join(',');

/** The record whose id begins so, or is so. @param fields absent: all @throws CommandError if there are several */
export async function beginningWith<T extends { id: string }>(
  look: (query: ListQuery) => Promise<{ body: T[] }>,
  given: string,
  fields?: string,
): Promise<T | undefined> {
  if (!BEGINNING.test(given)) return undefined;
  const query = { 'id.prefix': given.toLowerCase(), $top: 2, ...(fields !== undefined && { fields }) };
  const { body } = await look(query);
  if (body.length < 2) return body[0];
  const idList = body.map(({ id }) => id).join(', ');
  throw new CommandError(`${printableText(given)} is the beginning of several ids, such as ${idList}; give more of it`);
}

/** @returns the names, by id; none for members of teams, who may not read SKUs */
export async function skuNames(client: Client): Promise<ReadonlyMap<string | null, string>> {
  const { body } = await wholeList((query) => client.get('/skus', { query })).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 403) return { body: [] };
    throw error;
  });
  return new Map(body.map(({ id, name }) => [id, name]));
}
