/**
 * The hardware of nodes. Each reference to a latest catalog has the facts of that catalog (`catalogs.ts`). The record of a node has
 * vendor, model, serial number and the address of the BMC as well, so that lists are filtered and sorted by them.
 *
 * 1. A node is described before its catalog counts as processed: if the process dies, the next pass of SKUs repeats it.
 * 2. The sum of the catalogs' numbers only grows. A node keeps a description with a higher sum: a process that read before
 *    a concurrent catalog does not overwrite the description with that catalog.
 */
import type { HardwareFacts, HardwareRecord } from '../../api-port/hardware.ts';
import type { Hardware, NodeDescription } from '../../api-port/index.ts';
import { groupBy } from '../../platform/lib/group-by.ts';
import { byIds } from '../../platform/store/pages.ts';
import type { Collection, DocumentUpdate } from '../../platform/store/port.ts';
import { storableText } from '../../vocabulary/texts.ts';
import { factSources, mergedFacts } from '../facts/hardware-facts.ts';
import type { LatestCatalog } from './catalogs.ts';
import type { StoredNode } from './stored-node.ts';

/** Sources that may say what a node's record has. */
const describingSources = ['dmi', 'bmc', 'redfish-system', 'ipmi-fru', 'lshw', 'ohai'];
const LATEST_PER_READ = 1_000;

export class HardwareRecords implements Hardware {
  readonly #nodes: Pick<Collection<StoredNode>, 'find' | 'updateEach'>;
  readonly #latest: Pick<Collection<LatestCatalog>, 'find'>;

  constructor(
    nodes: Pick<Collection<StoredNode>, 'find' | 'updateEach'>,
    latest: Pick<Collection<LatestCatalog>, 'find'>,
  ) {
    this.#nodes = nodes;
    this.#latest = latest;
  }

  async of(node: string): Promise<HardwareRecord> {
    const latest = (await this.#latestOf([node], factSources)).filter(({ facts }) => facts !== undefined);
    return {
      ...mergedOf(latest),
      catalogs: latest.map(({ catalog, source, createdAt }) => ({ id: catalog, source, createdAt })),
    };
  }

  /** Updates the records of the nodes of new catalogs. */
  async describe(catalogs: readonly Pick<LatestCatalog, 'node' | 'source'>[]): Promise<void> {
    const describing = catalogs.filter(({ source }) => describingSources.includes(source));
    const ids = [...new Set(describing.map(({ node }) => node))];
    while (ids.length > 0) {
      const latestByNode = new Map(groupBy(await this.#latestOf(ids, describingSources), ({ node }) => node));
      const nodes = await byIds(this.#nodes, ids);
      const changes = nodes.flatMap((node) => changeOf(node, latestByNode.get(node.id) ?? []) ?? []);
      if (changes.length === 0 || (await this.#nodes.updateEach(changes)) === changes.length) return;
    }
  }

  #latestOf(nodes: readonly string[], sources: readonly string[]): Promise<LatestCatalog[]> {
    const series = nodes.flatMap((node) => sources.map((source) => `${node} ${source}`));
    return byIds(this.#latest, series, LATEST_PER_READ);
  }
}

const mergedOf = (latest: readonly LatestCatalog[]): HardwareFacts =>
  mergedFacts(new Map(latest.flatMap(({ source, facts }) => (facts ? [[source, facts]] : []))));

/** @returns undefined: the node is described by these catalogs, or by later ones */
function changeOf({ id, describedBy }: StoredNode, latest: readonly LatestCatalog[]): DocumentUpdate | undefined {
  const sum = latest.reduce((total, { version }) => total + version, 0);
  if ((describedBy ?? 0) >= sum) return undefined;
  const { vendor, model, serial, bmc } = mergedOf(latest);
  const values = Object.entries({
    vendor,
    model,
    serial,
    bmcAddress: bmc?.address ?? null,
  } satisfies DescriptionValues);
  // A fact that was cut within a character has half of it, which no index holds.
  const set = Object.fromEntries(
    values.flatMap(([name, value]) => (value === null ? [] : [[name, storableText(value)]])),
  );
  const unset = Object.fromEntries(values.filter(([, value]) => value === null).map(([name]) => [name, '']));
  const update = { $set: { ...set, describedBy: sum }, ...(Object.keys(unset).length > 0 && { $unset: unset }) };
  return { id, filter: { describedBy: describedBy ?? null }, update };
}

type DescriptionValues = Record<keyof NodeDescription, string | null>;
