/**
 * The API's side of the engine: all that the HTTP interface asks of it, and nothing else. Pure types, so that the
 * API can be tested against a small fake.
 *
 * 1. What a client may do wrong comes back as a NodewrightError with the interface's message; anything else thrown
 *    is a fault of ours and is answered as 500.
 * 2. Rows handed out are redacted: no secret option, output or context value is in them.
 * 3. A list never answers with more than `limit` items.
 */
import type { HttpEndpoint } from './config.ts';
import type { HistoryEntry, WorkflowRow } from './step/row.ts';

/** One page of a list. `filter` holds equalities by dotted path, or MongoDB's operators where the API itself adds them. */
export interface Page {
  skip: number;
  /** 1 to 1,000. */
  limit: number;
  sort?: Record<string, 1 | -1>;
  filter: Record<string, unknown>;
}

export interface Paged<T> {
  items: T[];
  /** How many there are on all pages. */
  total: number;
}

export type { HttpEndpoint as Endpoint } from './config.ts';

/** The part of the configuration that the API reads. */
export interface ApiConfig {
  readonly httpEndpoints: readonly HttpEndpoint[];
  readonly enableLocalHostException: boolean;
  /** Seconds. */
  readonly authTokenExpireIn: number;
  /** Bytes. */
  readonly bodyLimit: number;
  /** Where a certificate of our own making is kept. */
  readonly dataDir: string;
  readonly log: { readonly level: string };
}

export interface UserRecord {
  /** The username again: no two users share it. */
  id: string;
  username: string;
  /** As `api/passwords.ts` writes it; never the password itself. */
  password: string;
  role: string;
  createdAt: string;
  updatedAt: string;
}

export interface Users {
  count(): Promise<number>;
  get(username: string): Promise<UserRecord | undefined>;
  list(page: Page): Promise<Paged<UserRecord>>;
  /** @throws NodewrightError DUPLICATE when the name is taken */
  create(user: UserRecord): Promise<void>;
  /** Creates the user only if there is none at all. @returns false when there is one: of two at once, one wins. */
  createFirst(user: UserRecord): Promise<boolean>;
  update(
    username: string,
    change: Partial<Pick<UserRecord, 'password' | 'role'>> & { updatedAt: string },
  ): Promise<UserRecord | undefined>;
  /** @returns false when there is no such user */
  remove(username: string): Promise<boolean>;
}

export interface Relation {
  relationType: string;
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
  /** `config` and its secrets stay with the engine. */
  obms: { ref: string; service: string }[];
  relations: Relation[];
  tags: string[];
  catalogs: unknown[];
  workflows: unknown[];
  service?: string;
  config?: Record<string, unknown>;
}

/** What a client may say of a new node. */
export interface NewNode {
  type: string;
  name: string;
  autoDiscover?: boolean;
  identifiers?: string[];
  obms?: { service: string; config?: Record<string, unknown> }[];
  relations?: Relation[];
  tags?: string[];
  service?: string;
  config?: Record<string, unknown>;
}

export type NodeChange = Partial<
  Pick<NewNode, 'type' | 'name' | 'autoDiscover' | 'identifiers' | 'tags' | 'service' | 'config'>
>;

export interface Nodes {
  /** By id, one of its identifiers, or a MAC or IP known to lookups. */
  find(identifier: string): Promise<NodeRecord | undefined>;
  list(page: Page): Promise<Paged<NodeRecord>>;
  /** @throws NodewrightError INVALID (unknown relation target), DUPLICATE (identifier), CONFLICT */
  create(input: NewNode): Promise<NodeRecord>;
  update(id: string, change: NodeChange): Promise<NodeRecord | undefined>;
  /** @throws NodewrightError WORKFLOW_ACTIVE @returns false when it is not there */
  remove(id: string): Promise<boolean>;
}

export interface LaunchRequest {
  name: string;
  options: Record<string, unknown>;
  nodeId: string | null;
  domain?: string;
}

export interface Workflows {
  /** @throws NodewrightError NOT_FOUND (graph), NODE_BUSY, INVALID_OPTIONS; nothing is started then */
  launch(request: LaunchRequest): Promise<WorkflowRow>;
  get(id: string): Promise<WorkflowRow | undefined>;
  /** Filter and sort name fields of the row. Default order: oldest first. */
  list(page: Page): Promise<Paged<WorkflowRow>>;
  activeOn(nodeId: string): Promise<WorkflowRow | undefined>;
  /** Harmless to repeat. @throws NodewrightError WORKFLOW_ENDED when it ended otherwise @returns undefined: not there */
  cancel(id: string): Promise<WorkflowRow | undefined>;
  /** @returns undefined when none is active on the node */
  cancelOn(nodeId: string): Promise<WorkflowRow | undefined>;
  /** @throws NodewrightError WORKFLOW_ACTIVE @returns false when it is not there */
  remove(id: string): Promise<boolean>;
  /** Every step, oldest first. Of a workflow that is not there: empty. */
  history(id: string, page: Page): Promise<Paged<HistoryEntry>>;
}

/** A definition as JSON: as it was put, or as its file describes it; tasks with `recovery`. Small: all are in memory. */
export type DefinitionView = Record<string, unknown> & { injectableName: string; friendlyName: string };

export interface Library {
  graphs(): DefinitionView[];
  graph(name: string): DefinitionView | undefined;
  /** @throws NodewrightError INVALID_DEFINITION */
  putGraph(json: Record<string, unknown>): Promise<DefinitionView>;
  /** @throws NodewrightError CONFLICT for what comes from a file @returns false when it is not there */
  removeGraph(name: string): Promise<boolean>;
  tasks(): DefinitionView[];
  task(name: string): DefinitionView | undefined;
  putTask(json: Record<string, unknown>): Promise<DefinitionView>;
  /** @throws NodewrightError CONFLICT while a graph uses it */
  removeTask(name: string): Promise<boolean>;
  /** What was refused at load: file, found, expected. */
  errors(): object[];
}

export interface Notifications {
  /** Publishes, and hands it to the node's actor when there is a node. */
  notify(parameters: Record<string, unknown>, nodeId?: string): Promise<void>;
  /** @param taskId a task entry's instanceId @returns false when no workflow has it */
  progress(taskId: string, progress: { value: number; maximum: number; description: string }): Promise<boolean>;
}

export interface Engine {
  readonly config: ApiConfig;
  /** The HS256 key of login tokens. */
  readonly tokenSecret: Uint8Array;
  readonly users: Users;
  readonly nodes: Nodes;
  readonly workflows: Workflows;
  readonly library: Library;
  readonly notifications: Notifications;
  /** Resolves when the stores answer. @throws NodewrightError UNAVAILABLE */
  ready(): Promise<void>;
  /** The engine's metrics as Prometheus text. */
  metrics(): Promise<string>;
}
