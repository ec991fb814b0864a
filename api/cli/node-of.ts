/** Nodes as users name them: by id or its beginning, MAC, another identifier, or name. */
import pLimit from 'p-limit';
import type { GetAnswer } from '../client/requests.ts';
import { ApiError } from './api-error.ts';
import type { Client } from './client.ts';
import { type ConnectionOptions, withClient } from './connection.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { beginningWith } from './id-of.ts';
import { printableText } from './terminal.ts';

export type Node = GetAnswer<'/nodes/:identifier'>;

/** @param missing the message if there is none, with `%` for what was given @throws CommandError; also if several have the name */
export async function nodeOf(
  client: Client,
  given: string,
  missing = 'found no node with the id, identifier or name %; nw nodes lists them',
): Promise<Node> {
  try {
    return (await client.get('/nodes/:identifier', { params: { identifier: given } })).body;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
  const { body } = await client.get('/nodes', { query: { name: given, $top: 3 } });
  const [node, other] = body;
  if (other !== undefined)
    throw new CommandError(`several nodes are named ${given}: ${body.map(({ id }) => id).join(', ')}; give the id`);
  const match = node ?? (await beginningWith((query) => client.get('/nodes', { query }), given));
  if (match !== undefined) return match;
  throw new CommandError(missing.replace('%', () => printableText(given)));
}

export const onNode = (
  given: string,
  options: ConnectionOptions,
  work: (client: Client, node: Node) => Promise<void>,
): Promise<void> => withClient(options, async (client) => work(client, await nodeOf(client, given)));

/** Requests at a time. */
const PARALLEL = 4;

/** @returns each node once @throws CommandError as `nodeOf`, and for an empty name */
export async function nodesCalled(client: Client, names: readonly string[]): Promise<Node[]> {
  if (names.includes('')) throw new CommandError('found an empty name of a node', EXIT.usage);
  const limit = pLimit(PARALLEL);
  const nodes = await Promise.all(names.map((name) => limit(() => nodeOf(client, name))));
  return [...new Map(nodes.map((node) => [node.id, node])).values()];
}
