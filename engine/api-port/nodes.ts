/** The port of the API to nodes and their catalogs, lookups and obms. */
import { type Static, type TSchema, Type } from 'typebox';
import {
  type AccessService,
  ibmServices,
  lookupSources,
  type NodeType,
  nodeTypes,
  type ObmService,
  obmServices,
} from '../define/node.ts';
import { type CatalogSender, knownBy } from '../vocabulary/known-by.ts';
import { MAC_PATTERN } from '../vocabulary/mac.ts';
import {
  type BurnInOutcome,
  burnInOutcomes,
  type HealthState,
  type HoldKind,
  healthStates,
  holdKinds,
  powerStates,
} from '../vocabulary/states.ts';
import type { Page, PagedList } from './page.ts';
import { anyObject, nonEmpty, orNull, time, words } from './schemas.ts';

export type { AccessService } from '../define/node.ts';

/** Any JSON except null: some tools print lists and texts. */
export type CatalogData = Record<string, unknown> | readonly unknown[] | string | number | boolean;

export const relationRecord = Type.Object({ relationType: Type.String(), targets: Type.Array(Type.String()) });

/** Facts of the machine by its catalogs. */
const nodeDescription = {
  vendor: Type.Optional(Type.String()),
  model: Type.Optional(Type.String()),
  serial: Type.Optional(Type.String()),
  bmcAddress: Type.Optional(Type.String()),
};
const description = Type.Object(nodeDescription);
export type NodeDescription = Static<typeof description>;

export const nodeRecord = Type.Object(
  {
    id: Type.String(),
    type: words(nodeTypes),
    name: Type.String(),
    autoDiscover: Type.Boolean(),
    sku: orNull(Type.String()),
    createdAt: time,
    updatedAt: time,
    identifiers: Type.Array(Type.String()),
    /** `ref`: the path of the obm record. */
    obms: Type.Array(Type.Object({ ref: Type.String(), service: Type.String() })),
    relations: Type.Array(relationRecord),
    tags: Type.Array(Type.String()),
    /** Ids of the latest catalog of each source. */
    catalogs: Type.Array(Type.Unknown()),
    /** Ids, newest first, up to a limit. */
    workflows: Type.Array(Type.Unknown()),
    active: orNull(
      Type.Object(
        { id: Type.String(), name: Type.String(), label: orNull(Type.String()), since: time },
        { description: 'The workflow that holds the node; null: the node is free' },
      ),
    ),
    held: Type.Array(words(holdKinds), { description: 'The kinds of holds that it has now' }),
    // With a title, because generators of clients would name it NodeHealth, which is another record.
    health: Type.Unsafe<HealthState>({
      ...words(healthStates),
      title: 'HealthState',
      description: 'The worst report on its health',
    }),
    burnIn: Type.Optional(
      Type.Unsafe<BurnInOutcome>({
        ...words(burnInOutcomes),
        description: 'The result of its last burn-in that was complete; absent: there is none',
      }),
    ),
    ...nodeDescription,
    power: Type.Optional(
      Type.Object({ state: words(powerStates), at: time }, { description: 'As its BMC last reported it' }),
    ),
    service: Type.Optional(Type.String()),
    config: Type.Optional(anyObject),
    owner: Type.Optional(Type.String({ description: 'The team that it belongs to; absent: none' })),
    /** Why the last discovery failed; removed when one succeeds. */
    error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
  },
  { title: 'Node' },
);

/** Tools print objects, lists and texts; null is not a catalog. */
export const catalogData = Type.Unsafe<CatalogData>({
  type: ['object', 'array', 'string', 'number', 'boolean'],
  // OpenAPI wants it of each list.
  items: {},
});

export const catalogRecord = Type.Object(
  {
    id: Type.String(),
    node: Type.String(),
    source: Type.String(),
    data: catalogData,
    /** How the sender was identified. */
    knownBy: words(['operator', ...knownBy]),
    createdAt: time,
    updatedAt: time,
  },
  { title: 'Catalog' },
);

export const newObm = Type.Object(
  { service: words(obmServices), config: Type.Optional(anyObject) },
  { additionalProperties: false },
);

const accessRecord = <Service extends AccessService>(services: readonly Service[], title: string) =>
  Type.Object(
    {
      id: Type.String(),
      nodeId: Type.String(),
      node: Type.String(),
      service: words(services),
      config: anyObject,
      createdAt: time,
      updatedAt: time,
    },
    { title },
  );

export const obmRecord = accessRecord(obmServices, 'Obm');
export const ibmRecord = accessRecord(ibmServices, 'Ibm');

const mac = Type.String({ pattern: MAC_PATTERN });
const ip = Type.Union([Type.String({ format: 'ipv4' }), Type.String({ format: 'ipv6' })]);

export const newLookup = Type.Object(
  { macAddress: mac, ipAddress: Type.Optional(orNull(ip)), node: Type.Optional(orNull(nonEmpty)) },
  { additionalProperties: false },
);

/** A request for a profile that named the MAC; the IP in it may be false. */
export const sighting = Type.Object({
  /** The node that the sender was identified as. */
  node: Type.String(),
  ipAddress: orNull(Type.String()),
  /** The sender's address. */
  from: Type.String(),
  /** Since when these values are observed. */
  at: time,
});

export const lookupRecord = Type.Object(
  {
    id: Type.String(),
    node: orNull(Type.String()),
    macAddress: Type.String(),
    ipAddress: orNull(Type.String()),
    /** `operator`: a user entered or confirmed it. `observed`: seen on the nodes' network. */
    source: words(lookupSources),
    observed: orNull(sighting),
    createdAt: time,
    updatedAt: time,
  },
  { title: 'Lookup' },
);

export type Relation = Static<typeof relationRecord>;
export type NodeRecord = Omit<Static<typeof nodeRecord>, 'catalogs' | 'workflows'> & {
  catalogs: string[];
  workflows: string[];
};
export type ObmRef = NodeRecord['obms'][number];
export type CatalogRecord = Static<typeof catalogRecord>;
export type Sighting = Static<typeof sighting>;
export type LookupRecord = Omit<Static<typeof lookupRecord>, 'observed'> & {
  /** The name that a user gave of a node that does not exist yet. */
  awaited?: string;
  /** The latest observation of the MAC on the nodes' network, stored separately from the values of a user. */
  observed?: Sighting;
};
export type LookupSource = LookupRecord['source'];
export type NewLookup = Static<typeof newLookup>;

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
  /** The name of a team. */
  owner?: string;
}

export type NodeChange = Partial<
  Pick<NewNode, 'type' | 'name' | 'autoDiscover' | 'identifiers' | 'tags' | 'service' | 'config'>
>;

/** By relation type: the ids of nodes. */
export type RelationTargets = Record<string, readonly string[]>;

/** Selects nodes by what changes without their records; an absent field selects all. */
export interface NodeState {
  /** Only nodes that a workflow holds, or only free ones. */
  busy?: boolean | undefined;
  /** Only nodes with a hold of one of these kinds, and those without any. */
  held?: { kinds: readonly HoldKind[]; orNone: boolean } | undefined;
}

export interface Nodes {
  /** Finds a node by its id, one of its identifiers, or a MAC or IP known to lookups. */
  find(identifier: string): Promise<NodeRecord | undefined>;
  /** Returns only the id, which is cheaper. */
  idOf(identifier: string): Promise<string | undefined>;
  /** Like `idOf`, with the team that the node belongs to. @returns undefined if there is no such node */
  ownerOf(identifier: string): Promise<{ id: string; owner: string | null } | undefined>;
  /** Returns those of the nodes that belong to one of the teams. */
  ownedBy(teams: readonly string[], ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** @param state conditions on what is not in the document of a node */
  list(page: Page, state?: NodeState): Promise<PagedList<NodeRecord>>;
  /** @throws NodewrightError INVALID (unknown relation target), DUPLICATE (identifier), CONFLICT (second container) */
  create(input: NewNode): Promise<NodeRecord>;
  /**
   * Creates all of the nodes, or none. @returns them in the order of the inputs
   * @throws NodewrightError as `create`, with the violations of all, such as `[3].identifiers`
   */
  createAll(inputs: readonly NewNode[]): Promise<NodeRecord[]>;
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

export interface Catalogs {
  /**
   * @param knownBy absent: a user of the API
   * @throws NodewrightError TOO_MANY_REQUESTS, TOO_LARGE if a southbound sender exceeds the quota of the node
   */
  add(node: string, source: string, data: CatalogData, knownBy?: CatalogSender): Promise<CatalogRecord>;
  /** Returns the latest catalogs of each source and node. Filter and sort use fields of the record, not of `data`. */
  latestOfSources(page: Page): Promise<PagedList<CatalogRecord>>;
  latestOf(node: string, source: string): Promise<CatalogRecord | undefined>;
  /** Returns all stored catalogs, newest first. */
  all(page: Page): Promise<PagedList<CatalogRecord>>;
  /** Returns one catalog, also if it is not the latest. */
  get(id: string): Promise<CatalogRecord | undefined>;
}

export interface Lookups {
  /** @param term a MAC, an IP or a node's id to match; absent: all */
  list(page: Page, term?: string): Promise<PagedList<LookupRecord>>;
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
  list(page: Page): Promise<PagedList<ObmRecord<Service>>>;
  get(id: string): Promise<ObmRecord<Service> | undefined>;
  /** Creates or replaces the node's record of this service. */
  put(nodeId: string, obm: NewObm<Service>): Promise<ObmRecord<Service>>;
  remove(id: string): Promise<boolean>;
}
