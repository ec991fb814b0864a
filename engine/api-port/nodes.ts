/** Nodes, as the API asks for them. */
import type { Page, Paged } from './page.ts';

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
