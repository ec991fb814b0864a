/** The nodes of the daemon, with what an exchange with NetBox compares. */
import type { GetAnswer } from '../../client/requests.ts';
import type { Client } from '../client.ts';
import { wholeList } from '../whole-list.ts';

export type SiteNode = Pick<
  GetAnswer<'/nodes'>[number],
  | 'id'
  | 'name'
  | 'type'
  | 'identifiers'
  | 'tags'
  | 'relations'
  | 'serial'
  | 'owner'
  | 'obms'
  | 'health'
  | 'held'
  | 'active'
  | 'workflows'
>;

const SITE_NODE_FIELDS = 'id,name,type,identifiers,tags,relations,serial,owner,obms,health,held,active,workflows';

export const siteNodes = async (client: Client): Promise<SiteNode[]> =>
  (await wholeList((query) => client.get('/nodes', { query: { ...query, fields: SITE_NODE_FIELDS } }))).body;

/** Those of these ids that exist. */
export async function nodesOfIds(client: Client, ids: readonly string[]): Promise<SiteNode[]> {
  if (ids.length === 0) return [];
  return (await client.get('/nodes', { query: { id: ids.join(','), fields: SITE_NODE_FIELDS, $top: ids.length } }))
    .body;
}
