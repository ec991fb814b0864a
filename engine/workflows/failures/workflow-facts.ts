/** Collects the facts of workflows that may explain a failure: their options, their nodes, the catalog `dmi` of these. */
import type { Catalogs, NodeRecord, Nodes } from '../../api-port/nodes.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import type { StoredSku } from '../../inventory/skus/stored-sku.ts';
import { byIds } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { redact } from '../../vocabulary/conceal.ts';
import { factsIn, type WorkflowFacts } from './common-facts.ts';

export interface FactsScope {
  nodes: Pick<Nodes, 'list'>;
  catalogs: Pick<Catalogs, 'latestOfSources'>;
  skus: Pick<Collection<StoredSku>, 'find'>;
}

/** The names that people know. */
const knownPaths = {
  'dmi.System Information.Manufacturer': 'vendor',
  'dmi.System Information.Product Name': 'model',
  'dmi.BIOS Information.Version': 'firmware',
};
/** Relations to what is around a node. */
const around: Readonly<Record<string, string>> = { enclosedBy: 'rack', containedBy: 'rack', poweredBy: 'pdu' };
/** Nodes, SKUs, catalogs in one read. */
const DOCUMENTS = 1_000;

/** @param rows redacted, at most some hundreds @returns the facts of each, in their order */
export async function workflowFacts(scope: FactsScope, rows: readonly WorkflowRow[]): Promise<WorkflowFacts[]> {
  const ids = [...new Set(rows.flatMap(({ node }) => node ?? []))];
  const byNode = await nodeFacts(scope, ids);
  return rows.map(({ options, definitionHash, node }) => [
    ['definitionHash', definitionHash],
    ...factsIn(options, 'options'),
    ...(byNode.get(node ?? '') ?? []),
  ]);
}

async function nodeFacts(
  { nodes, catalogs, skus }: FactsScope,
  ids: readonly string[],
): Promise<Map<string, WorkflowFacts>> {
  if (ids.length === 0) return new Map();
  const records = (await nodes.list(firstPage({ id: { $in: ids } }))).items;
  const named = [...new Set(records.flatMap(targetsAround))];
  const [dmi, kinds, parents] = await Promise.all([
    catalogs.latestOfSources(firstPage({ node: { $in: ids }, source: 'dmi' })),
    byIds(skus, [...new Set(records.flatMap(({ sku }) => sku ?? []))]),
    named.length === 0 ? { items: [] } : nodes.list(firstPage({ id: { $in: named } })),
  ]);
  const names = new Map([...kinds, ...parents.items].map(({ id, name }) => [id, name]));
  const facts = new Map<string, WorkflowFacts>(records.map((record) => [record.id, nodeOwnFacts(record, names)]));
  for (const { node, data } of dmi.items)
    facts.set(node, [...(facts.get(node) ?? []), ...factsIn(redact([], data), 'dmi', knownPaths)]);
  return facts;
}

const firstPage = (filter: Record<string, unknown>) => ({ skip: 0, limit: DOCUMENTS, filter });

const targetsAround = ({ relations }: NodeRecord): string[] =>
  relations.filter(({ relationType }) => relationType in around).flatMap(({ targets }) => targets);

function nodeOwnFacts({ type, sku, tags, relations }: NodeRecord, names: ReadonlyMap<string, string>): WorkflowFacts {
  const places = relations.flatMap(({ relationType, targets }) => {
    const fact = around[relationType];
    return fact === undefined ? [] : targets.map((id) => [fact, names.get(id) ?? id] as const);
  });
  return [
    ['type', type],
    ...(sku === null ? [] : [['sku', names.get(sku) ?? sku] as const]),
    ...tags.map((tag) => ['tag', tag] as const),
    ...places,
  ];
}
