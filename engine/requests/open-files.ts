/** Opens the requests for templates, profiles and files, with the data of nodes that they need. */
import type { Bytes } from '../blob-store.ts';
import { fileSpec, type StoredFile } from '../files/file-store.ts';
import { templateContext } from '../library/list-of-tasks.ts';
import type { Graph } from '../library/types.ts';
import { callbacksOf } from '../step/callbacks.ts';
import type { WorkflowRow } from '../step/row.ts';
import type { Collection, Store } from '../store/port.ts';
import { FileRequests, type FilesPort } from './files.ts';
import type { LookupRequests } from './lookups.ts';
import type { NodeRequests } from './nodes.ts';
import { activeOn } from './on-node.ts';

export interface OpenFilesPort extends Pick<FilesPort, 'skuOf' | 'isSku' | 'bindings' | 'vault'> {
  store: Store;
  bytes: Pick<Bytes, 'fileStore' | 'builtIn' | 'packs' | 'rendering'>;
  nodes: NodeRequests;
  lookups: LookupRequests;
  /** Returns the active workflow of the node, without secrets. */
  workflow(node: string): Promise<WorkflowRow | undefined>;
  workflows: Collection<WorkflowRow>;
  pinned(hash: string): Promise<Graph>;
}

/** Limit of lookups per node: a machine has few interfaces, and a template needs the first. */
const LOOKUPS = 100;

export async function openFiles({ store, bytes, nodes, lookups, workflow, workflows, pinned, ...port }: OpenFilesPort) {
  return new FileRequests({
    ...port,
    ...{ fileStore: bytes.fileStore, builtIn: bytes.builtIn, packs: bytes.packs, rendering: bytes.rendering },
    stored: await store.collection<StoredFile>(fileSpec),
    node: (id) => nodes.find(id),
    lookups: async (node) => (await lookups.list({ skip: 0, limit: LOOKUPS, filter: { node } })).items,
    async context(node) {
      const row = await workflow(node);
      if (row === undefined) return undefined;
      return templateContext(await pinned(row.definitionHash), row.actors.graph?.snapshot.context);
    },
    callbacks: async (node) => callbacksOf(await activeOn(workflows, node)),
  });
}
