/** The nodes, workflows and graphs that the palette finds by a text. A kind that may not be read has no results. */
import { client } from '../../data/daemon-client.ts';
import { graphTitle } from '../../data/graph-titles.ts';

export interface SearchResult {
  kind: 'node' | 'workflow' | 'graph';
  title: string;
  /** Beside the title. */
  detail: string;
  path: string;
}

const RESULTS = 6;
/** Characters of a serial number before all catalogs are searched for it. */
const SERIAL_LENGTH = 4;
const GRAPHS = 1_000;

/** @param text without spaces around it, not '' */
export async function searchResults(text: string): Promise<SearchResult[]> {
  const kinds = [nodesNamed(text), nodesAt(text), nodesOfBmc(text), workflowsWith(text), graphsNamed(text)];
  const results = (await Promise.all(kinds.map((kind) => kind.catch(() => [])))).flat();
  if (results.length === 0 && text.length >= SERIAL_LENGTH)
    results.push(...(await nodesOfSerial(text).catch(() => [])));
  return [...new Map(results.map((one) => [one.path, one])).values()];
}

interface FoundNode {
  id: string;
  name: string;
  type: string;
}

const nodeResult = ({ id, name, type }: FoundNode, detail = type): SearchResult => ({
  kind: 'node',
  title: name,
  detail,
  path: `/ui/nodes/${id}`,
});

async function nodesNamed(text: string): Promise<SearchResult[]> {
  const query = { 'name.prefix': text, fields: 'id,name,type', $top: RESULTS };
  return (await client.get('/nodes', { query })).body.map((node) => nodeResult(node));
}

const nodesWith = async (ids: readonly string[], detail: string): Promise<SearchResult[]> => {
  if (ids.length === 0) return [];
  const query = { id: [...new Set(ids)].slice(0, RESULTS).join(','), fields: 'id,name,type', $top: RESULTS };
  return (await client.get('/nodes', { query })).body.map((node) => nodeResult(node, detail));
};

/** By the beginning of a MAC or an IP. */
async function nodesAt(text: string): Promise<SearchResult[]> {
  if (!/^[\da-f]+[.:-]/i.test(text)) return [];
  const field = text.includes('.') ? 'ipAddress.prefix' : 'macAddress.prefix';
  const query = { [field]: text.toLowerCase().replaceAll('-', ':'), $top: RESULTS };
  const { body } = await client.get('/lookups', { query });
  return nodesWith(
    body.flatMap(({ node }) => (typeof node === 'string' ? [node] : [])),
    text,
  );
}

/** By the beginning of the address of the BMC. */
async function nodesOfBmc(text: string): Promise<SearchResult[]> {
  if (!/^[\da-f]+[.:]/i.test(text)) return [];
  const query = { 'bmcAddress.prefix': text, fields: 'id,name,type,bmcAddress', $top: RESULTS };
  return (await client.get('/nodes', { query })).body.map((node) => nodeResult(node, `BMC ${node.bmcAddress}`));
}

async function nodesOfSerial(text: string): Promise<SearchResult[]> {
  const regex = `^${text.replaceAll(/[^\w-]/g, '\\$&')}`;
  const rules = [{ path: 'dmi.System Information.Serial Number', regex }];
  const { body } = await client.post('/skus/match', { query: { $top: 1_000 }, body: { rules } });
  return nodesWith((body as { nodes: string[] }).nodes, `serial number ${text}`);
}

async function workflowsWith(text: string): Promise<SearchResult[]> {
  if (!/^[\da-f-]{2,36}$/i.test(text)) return [];
  const query = { 'id.prefix': text.toLowerCase(), fields: 'id,name,status', $top: RESULTS };
  return (await client.get('/workflows', { query })).body.map(({ id, name, status }) => ({
    kind: 'workflow',
    title: `${id.slice(0, 8)} ${name}`,
    detail: status,
    path: `/ui/workflows/${id}`,
  }));
}

async function graphsNamed(text: string): Promise<SearchResult[]> {
  const { body } = await client.get('/workflows/graphs', { query: { $top: GRAPHS } });
  const wanted = text.toLowerCase();
  return body
    .filter((one) => 'injectableName' in one)
    .filter((graph) => `${graph.injectableName} ${graph.friendlyName}`.toLowerCase().includes(wanted))
    .slice(0, RESULTS)
    .map(({ injectableName, friendlyName }) => ({
      kind: 'graph',
      title: injectableName,
      detail: graphTitle(injectableName, friendlyName),
      path: `/ui/graphs/${encodeURIComponent(injectableName)}`,
    }));
}
