/** The port of the API to nodes and their catalogs, lookups and obms. */

import type { TSchema } from 'typebox';
import type { AccessService, lookupSources, NodeType, ObmService } from '../define/node.ts';
import type { NodeHolder } from '../durable/runtime/on-node.ts';
import type { CatalogSender } from '../vocabulary/known-by.ts';
import type { Page, Paged } from './page.ts';

export type { AccessService } from '../define/node.ts';

export interface Relation {
  relationType: string;
  /** Ids of nodes. */
  targets: string[];
}

export interface NodeRecord {
  id: string;
  type: NodeType;
  name: string;
  autoDiscover: boolean;
  sku: string | null;
  createdAt: string;
  updatedAt: string;
  identifiers: string[];
  obms: ObmRef[];
  relations: Relation[];
  tags: string[];
  /** Ids of the latest catalog of each source. */
  catalogs: string[];
  /** Ids, newest first, up to a limit. */
  workflows: string[];
  /** The workflow that holds the node; null: the node is free. */
  active: NodeHolder | null;
  service?: string;
  config?: Record<string, unknown>;
  /** Why the last discovery failed; removed when one succeeds. */
  error?: { code: string; message: string };
}

/** `ref`: the path of the obm record. */
export interface ObmRef {
  ref: string;
  service: string;
}

export interface NewObm<Service extends AccessService = ObmService> {
  service: Service;
  config?: Record<string, unknown>;
}

/** The fields of a new node that a client may set. */
export interface NewNode {
  type: NodeType;
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
  /** Finds a node by its id, one of its identifiers, or a MAC or IP known to lookups. */
  find(identifier: string): Promise<NodeRecord | undefined>;
  /** Returns only the id, which is cheaper. */
  idOf(identifier: string): Promise<string | undefined>;
  /** @param busy only nodes that a workflow holds, or only free ones; absent: both */
  list(page: Page, busy?: boolean): Promise<Paged<NodeRecord>>;
  /** @throws NodewrightError INVALID (unknown relation target), DUPLICATE (identifier), CONFLICT (second container) */
  create(input: NewNode): Promise<NodeRecord>;
  update(id: string, change: NodeChange): Promise<NodeRecord | undefined>;
  /**
   * Deletes the node and its dependents.
   * @throws NodewrightError WORKFLOW_ACTIVE
   * @returns false if there is no such node
   */
  remove(id: string): Promise<boolean>;
  /** @returns the node's tags afterwards; undefined if there is no such node */
  tag(id: string, tags: readonly string[]): Promise<string[] | undefined>;
  /** @returns false if there is no such node, or the node has no such tag */
  untag(id: string, tag: string): Promise<boolean>;
  /** Removes the tag from every node. */
  untagAll(tag: string): Promise<void>;
  /**
   * Changes both sides of the relations, or none.
   * @returns the changed nodes, the node itself first
   * @throws NodewrightError INVALID (unknown target, or the node itself), CONFLICT (second container)
   */
  relate(id: string, targets: RelationTargets): Promise<NodeRecord[]>;
  unrelate(id: string, targets: RelationTargets): Promise<NodeRecord[]>;
}

/** Any JSON except null: some tools print lists and texts. */
export type CatalogData = Record<string, unknown> | readonly unknown[] | string | number | boolean;

export interface CatalogRecord {
  id: string;
  node: string;
  source: string;
  data: CatalogData;
  /** How the sender was identified. */
  knownBy: CatalogSender;
  createdAt: string;
  updatedAt: string;
}

export interface Catalogs {
  /**
   * @param knownBy absent: a user of the API
   * @throws NodewrightError TOO_MANY_REQUESTS, TOO_LARGE if a southbound sender exceeds the quota of the node
   */
  add(node: string, source: string, data: CatalogData, knownBy?: CatalogSender): Promise<CatalogRecord>;
  /** Returns the latest catalogs of each source and node. Filter and sort use fields of the record, not of `data`. */
  latest(page: Page): Promise<Paged<CatalogRecord>>;
  latestOf(node: string, source: string): Promise<CatalogRecord | undefined>;
  /** Returns all stored catalogs, newest first. */
  all(page: Page): Promise<Paged<CatalogRecord>>;
  /** Returns one catalog, also if it is not the latest. */
  get(id: string): Promise<CatalogRecord | undefined>;
}

export interface LookupRecord {
  id: string;
  /** The id of a node, or null. */
  node: string | null;
  /** The name that a user gave of a node that does not exist yet. */
  awaited?: string;
  macAddress: string;
  ipAddress: string | null;
  /** `operator`: a user entered or confirmed it. `observed`: seen on the nodes' network. */
  source: LookupSource;
  /** The latest observation of the MAC on the nodes' network, stored separately from the values of a user. */
  observed?: Sighting;
  createdAt: string;
  updatedAt: string;
}

export type LookupSource = (typeof lookupSources)[number];

/** A request for a profile that named the MAC. */
export interface Sighting {
  /** The node that the sender was identified as. */
  node: string;
  /** The IP in the request, which may be false. */
  ipAddress: string | null;
  /** The sender's address. */
  from: string;
  /** ISO 8601: since when these values are observed. */
  at: string;
}

export type NewLookup = Pick<LookupRecord, 'macAddress'> & Partial<Pick<LookupRecord, 'node' | 'ipAddress'>>;

export interface Lookups {
  /** @param term a MAC, an IP or a node's id to match; absent: all */
  list(page: Page, term?: string): Promise<Paged<LookupRecord>>;
  get(id: string): Promise<LookupRecord | undefined>;
  /** @throws NodewrightError INVALID if a user already entered the MAC; an observed one is confirmed instead */
  create(input: NewLookup): Promise<LookupRecord>;
  update(id: string, change: Partial<NewLookup>): Promise<LookupRecord | undefined>;
  remove(id: string): Promise<boolean>;
}

/** Secrets in `config` are REDACTED. */
export interface ObmRecord<Service extends AccessService = ObmService> {
  id: string;
  nodeId: string;
  service: Service;
  config: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

/** Obms and ibms: the ways to a node's BMC, and to the system that runs on it. */
export interface Obms<Service extends AccessService = ObmService> {
  /** Returns the JSON Schema of the config of a service's records. */
  schemaOf(service: Service): TSchema;
  list(page: Page): Promise<Paged<ObmRecord<Service>>>;
  get(id: string): Promise<ObmRecord<Service> | undefined>;
  /** Creates or replaces the node's record of this service. */
  put(nodeId: string, obm: NewObm<Service>): Promise<ObmRecord<Service>>;
  remove(id: string): Promise<boolean>;
}
