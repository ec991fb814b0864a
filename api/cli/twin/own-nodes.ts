/** Whether a daemon has nodes that are none of the twin's: those could be real machines. */
import { isOwnMac } from '../../../engine/hardware/twin/machine/machine-facts.ts';
import type { GetAnswer } from '../../client/requests.ts';
import type { Client } from '../client.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { printableText } from '../terminal.ts';
import { wholeList } from '../whole-list.ts';
import { ownTag } from './registrar.ts';

type Node = GetAnswer<'/nodes'>[number];

/** They have no power of their own to switch. */
const harmless = ['rack', 'pdu', 'power', 'enclosure', 'cooling'];
const SHOWN = 3;

/** @throws CommandError that names some of the nodes */
export async function checkNodes(client: Client, seed: number): Promise<void> {
  const fields = 'name,type,identifiers,tags';
  const { body } = await wholeList((query) => client.get('/nodes', { query: { ...query, fields } }));
  const others = (body as Node[]).filter((node) => !isOwn(node, seed) && !harmless.includes(node.type));
  if (others.length === 0) return;
  const names = others.slice(0, SHOWN).map(({ id, name }) => `${id} (${printableText(name)})`);
  const more = others.length > SHOWN ? ` and ${others.length - SHOWN} more` : '';
  throw new CommandError(
    `${client.url} has nodes that are not of this twin: ${names.join(', ')}${more}; name a daemon without them, or give --beside-others`,
    EXIT.usage,
  );
}

const isOwn = ({ identifiers, tags }: Node, seed: number): boolean =>
  identifiers.some((identifier) => isOwnMac(seed, identifier)) || tags.includes(ownTag(seed));
