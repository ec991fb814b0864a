/**
 * All nodes, in the memory of the page, while a page that lists them is shown.
 *
 * 1. They are read in pages, one after the other; the first rows are shown while the rest is read.
 * 2. An event about a node, and the start or the end of a workflow on it, cause one read of that node. Several are read
 *    together; when many changed, the whole list is read again.
 * 3. After an outage the whole list is read again, since the events during it are not known.
 */
import { computed, effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { LogEvent } from '../../client/follow-events.ts';
import { session } from './current-user.ts';
import { client } from './daemon-client.ts';
import { failedNodes, followFailures } from './failed-nodes.ts';
import { IDS_PER_REQUEST, idsInParts } from './ids-in-parts.ts';
import type { ListedNode, WholeNode } from './listed-node.ts';
import { type LiveValue, onEvents } from './live.ts';
import type { RequestError } from './request-error.ts';

const NODE_FIELDS =
  'id,name,type,sku,tags,identifiers,obms,relations,active,health,burnIn,held,vendor,model,serial,bmcAddress,power,updatedAt';
const NODES_PER_PAGE = 1_000;
/** On the first page, which a reader sees soon. */
const FIRST_NODES = 200;
/** Nodes that two pages share, because nodes that are deleted between two requests move the others forward. */
const OVERLAP = 20;
/** Nodes that are shown at most. */
export const MOST_NODES = 50_000;
/** ms in which changes are gathered. */
const GATHER_MS = 300;
/** Nodes of one request. */
/** ms between two reads, for each ms that the first one took: a campaign on all nodes must not make the list a load. */
const REST = 3;
/** More changed nodes than this cost more than the whole list. */
const MAX_CHANGED = 500;

let nodes = new Map<string, ListedNode>();
/** Counts the changes of `nodes`. */
const version = signal(0);

export const loading = signal<{ read: number; total: number | undefined } | undefined>(undefined);
/** The last read failed; the list is older. */
const problem = signal<RequestError | undefined>(undefined);
/** An answer said what nodes there are, if only the first. */
const isListRead = signal(false);
/** The list is longer than what is shown. */
export const isCut = signal(false);

export const allNodes = computed<readonly ListedNode[]>(() => {
  void version.value;
  const failed = failedNodes.value;
  return [...nodes.values()].map((node) => (failed.has(node.id) ? { ...node, hasFailed: true } : node));
});

/** As a record that is read live: undefined until an answer came. It stays while the list is read again: a dialog may be open. */
export const liveNodes: Pick<LiveValue<readonly ListedNode[]>, 'value' | 'problem'> = {
  value: computed(() => (isListRead.value ? allNodes.value : undefined)),
  problem,
};

export function listedNode(id: string): ListedNode | undefined {
  void version.value;
  return nodes.get(id);
}

const asListed = (node: WholeNode): ListedNode => ({
  ...node,
  searched: [node.name, node.id, node.serial ?? '', node.model ?? '', ...node.identifiers].join('\n').toLowerCase(),
});

/** Pages that show them. */
let readers = 0;
let stop: (() => void) | undefined;

/** Keeps the list current while the component is shown. */
export function useNodeList(): void {
  useEffect(() => {
    if (++readers === 1) stop = follow();
    return () => {
      if (--readers === 0) stop?.();
    };
  }, []);
}

function follow(): () => void {
  const changed = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isReading = false;
  let isStopped = false;
  let isWholeWanted = true;
  let pausedUntil = 0;
  const soon = (ms = GATHER_MS) => {
    const pause = Math.max(ms, pausedUntil - Date.now());
    if (timer === undefined && !isReading && !isStopped) timer = setTimeout(() => void read(), pause);
  };
  const read = async () => {
    timer = undefined;
    isReading = true;
    // The first read, and the one after an outage, are not a load that continues.
    const isSingle = isWholeWanted;
    const isWhole = isSingle || changed.size > MAX_CHANGED;
    const ids = [...changed];
    changed.clear();
    isWholeWanted = false;
    const began = Date.now();
    try {
      if (isWhole) await readAll(() => isStopped);
      else await readSome(ids);
      problem.value = undefined;
    } catch (error) {
      problem.value = error as RequestError;
      isWholeWanted = true;
    }
    isReading = false;
    if (!isSingle) pausedUntil = Date.now() + REST * (Date.now() - began);
    if (isWholeWanted || changed.size > 0) soon(problem.value === undefined ? GATHER_MS : 10 * GATHER_MS);
  };
  const ignore = onEvents((event) => {
    if (event === undefined) isWholeWanted = true;
    else if (event.nodeId !== null && concernsNode(event)) changed.add(event.nodeId);
    if (isWholeWanted || changed.size > 0) soon();
  });
  void read();
  const endFailures = followFailures();
  return () => {
    endFailures();
    isStopped = true;
    clearTimeout(timer);
    ignore();
  };
}

const concernsNode = ({ type, action }: LogEvent): boolean =>
  type === 'node' ? action !== 'alerts' : type === 'graph' && (action === 'started' || action === 'finished');

async function readAll(isStopped: () => boolean): Promise<void> {
  const nodesById = new Map<string, ListedNode>();
  // A list that is shown already stays until the new one is complete.
  const isFirst = nodes.size === 0;
  loading.value = { read: 0, total: undefined };
  try {
    for (let [skip, $top] = [0, isFirst ? FIRST_NODES : NODES_PER_PAGE]; ; ) {
      const { body, total } = await client.get('/nodes', { query: { fields: NODE_FIELDS, $skip: skip, $top } });
      if (isStopped()) return;
      for (const node of body) nodesById.set(node.id, asListed(node));
      loading.value = { read: nodesById.size, total };
      const isLast = body.length < $top || nodesById.size >= MOST_NODES;
      if (isFirst || isLast) [nodes, version.value, isListRead.value] = [nodesById, version.value + 1, true];
      if (isLast) {
        isCut.value = body.length === $top;
        return;
      }
      [skip, $top] = [skip + $top - OVERLAP, NODES_PER_PAGE];
    }
  } finally {
    loading.value = undefined;
  }
}

/** After changes of one's own, before their events arrive. @throws RequestError */
export async function rereadNodes(ids: readonly string[]): Promise<void> {
  if (ids.length <= MAX_CHANGED) await readSome(ids);
}

async function readSome(ids: readonly string[]): Promise<void> {
  for (const part of idsInParts(ids)) {
    const query = { id: part.join(','), fields: NODE_FIELDS, $top: IDS_PER_REQUEST };
    const { body } = await client.get('/nodes', { query });
    // A node that is not found was removed.
    for (const id of part) nodes.delete(id);
    for (const node of body) nodes.set(node.id, asListed(node));
  }
  version.value += 1;
}

/** Another user may not see what this one saw. */
effect(() => {
  if (session.value !== undefined) return;
  nodes = new Map();
  [version.value, isListRead.value, problem.value] = [version.peek() + 1, false, undefined];
});
