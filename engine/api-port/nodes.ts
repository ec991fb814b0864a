/** Nodes and what hangs on them, as the API asks for them. */
import type { CatalogSender } from '../define/known-by.ts';
import type { lookupSources } from '../define/node.ts';
import type { Page, Paged } from './page.ts';

export interface Relation {
  relationType: string;
  /** Ids of nodes. */
  targets: string[];
}

export interface NodeRecord {
  id: string;
  type: string;
  name: string;
  autoDiscover: boolean;
  sku: string | null;
  createdAt: string;
  updatedAt: string;
  identifiers: string[];
  obms: ObmRef[];
  relations: Relation[];
  tags: string[];
  /** Ids of the latest of each source. */
  catalogs: string[];
  /** Ids, the newest first, up to a bound. */
  workflows: string[];
  service?: string;
  config?: Record<string, unknown>;
  /** Why it could not be discovered; gone when it is. */
  error?: { code: string; message: string };
}

/** `ref`: the path of the obm record. */
export interface ObmRef {
  ref: string;
  service: string;
}

export interface NewObm {
  service: string;
  config?: Record<string, unknown>;
}

/** What a client may say of a new node. */
export interface NewNode {
  type: string;
  name: string;
  autoDiscover?: boolean;
  identifiers?: string[];
  obms?: NewObm[];
  relations?: Relation[];
  tags?: string[];
  service?: string;
  config?: Record<string, unknown>;
}

export type NodeChange = Partial<
  Pick<NewNode, 'type' | 'name' | 'autoDiscover' | 'identifiers' | 'tags' | 'service' | 'config'>
>;

/** By relation type: the ids of nodes. */
export type RelationTargets = Record<string, readonly string[]>;

export interface Nodes {
  /** By id, one of its identifiers, or a MAC or IP known to lookups. */
  find(identifier: string): Promise<NodeRecord | undefined>;
  /** The id alone: cheaper than the record. */
  idOf(identifier: string): Promise<string | undefined>;
  list(page: Page): Promise<Paged<NodeRecord>>;
  /** @throws NodewrightError INVALID (unknown relation target), DUPLICATE (identifier), CONFLICT (second container) */
  create(input: NewNode): Promise<NodeRecord>;
  update(id: string, change: NodeChange): Promise<NodeRecord | undefined>;
  /** With all that hangs on it. @throws NodewrightError WORKFLOW_ACTIVE @returns false when it is not there */
  remove(id: string): Promise<boolean>;
  /** @returns the node's tags afterwards; undefined: not there */
  tag(id: string, tags: readonly string[]): Promise<string[] | undefined>;
  /** @returns false when the node is not there or has no such tag */
  untag(id: string, tag: string): Promise<boolean>;
  /** Takes it from every node. */
  untagAll(tag: string): Promise<void>;
  /**
   * Both sides change, or none does.
   * @returns the nodes that changed, the node itself first
   * @throws NodewrightError INVALID (unknown target, itself), CONFLICT (second container)
   */
  relate(id: string, targets: RelationTargets): Promise<NodeRecord[]>;
  unrelate(id: string, targets: RelationTargets): Promise<NodeRecord[]>;
}

/** Any JSON but null: tools print lists and texts too. */
export type CatalogData = Record<string, unknown> | readonly unknown[] | string | number | boolean;

export interface CatalogRecord {
  id: string;
  node: string;
  source: string;
  data: CatalogData;
  /** How its sender was known; absent: it was kept before that was noted. */
  knownBy?: CatalogSender;
  createdAt: string;
  updatedAt: string;
}

export interface Catalogs {
  /**
   * @param knownBy absent: a user of the interface
   * @throws NodewrightError TOO_MANY_REQUESTS, TOO_LARGE when a southbound sender is over the quota of the node
   */
  add(node: string, source: string, data: CatalogData, knownBy?: CatalogSender): Promise<CatalogRecord>;
  /** The latest of each source and node; filter and sort name fields of the record, but not of `data`. */
  latest(page: Page): Promise<Paged<CatalogRecord>>;
  latestOf(node: string, source: string): Promise<CatalogRecord | undefined>;
  /** All that are kept, of every source and node, the newest first. */
  all(page: Page): Promise<Paged<CatalogRecord>>;
  /** Also one that is not the latest any more. */
  get(id: string): Promise<CatalogRecord | undefined>;
}

export interface LookupRecord {
  id: string;
  /** Of a node, or null. */
  node: string | null;
  macAddress: string;
  ipAddress: string | null;
  /** `operator`: a user entered or confirmed it. Absent, or `observed`: the network of the nodes said so. */
  source?: LookupSource;
  /** What the network of the nodes said of the MAC last; kept apart from what a user entered. */
  observed?: Sighting;
  createdAt: string;
  updatedAt: string;
}

export type LookupSource = (typeof lookupSources)[number];

/** A request for a profile that named the MAC. */
export interface Sighting {
  /** The node that the sender was taken for. */
  node: string;
  /** What the request said, which may be untrue. */
  ipAddress: string | null;
  /** The sender's own address. */
  from: string;
  /** ISO 8601: since when it is so. */
  at: string;
}

export type NewLookup = Pick<LookupRecord, 'macAddress'> & Partial<Pick<LookupRecord, 'node' | 'ipAddress'>>;

export interface Lookups {
  /** @param term a MAC, an IP or a node's id: those that have it; absent: all */
  list(page: Page, term?: string): Promise<Paged<LookupRecord>>;
  get(id: string): Promise<LookupRecord | undefined>;
  /** @throws NodewrightError INVALID when an operator entered the MAC already; one that was only observed is confirmed */
  create(input: NewLookup): Promise<LookupRecord>;
  update(id: string, change: Partial<NewLookup>): Promise<LookupRecord | undefined>;
  remove(id: string): Promise<boolean>;
}

/** Secrets of `config` are shown as REDACTED. */
export interface ObmRecord {
  id: string;
  nodeId: string;
  service: string;
  config: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

export interface Obms {
  list(page: Page): Promise<Paged<ObmRecord>>;
  get(id: string): Promise<ObmRecord | undefined>;
  /** Makes the node's obm of that service, or gives it this config. */
  put(nodeId: string, obm: NewObm): Promise<ObmRecord>;
  remove(id: string): Promise<boolean>;
}
