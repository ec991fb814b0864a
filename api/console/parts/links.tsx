/** Links to the pages of records. */
import { nameOfNode } from '../data/nodes.ts';

/** @param tab of the page; absent: its first one */
export function WorkflowLink({ id, text = id.slice(0, 8), tab }: { id: string; text?: string; tab?: 'why' }) {
  const query = tab === undefined ? '' : `?tab=${tab}`;
  return <a href={`/ui/workflows/${encodeURIComponent(id)}${query}`}>{text}</a>;
}

/** @param id null: a workflow without a node */
export function NodeLink({ id }: { id: string | null }) {
  if (id === null) return <span class="quiet">no node</span>;
  return <a href={`/ui/nodes/${encodeURIComponent(id)}`}>{nameOfNode(id)}</a>;
}

export function GraphLink({ name }: { name: string }) {
  return <a href={`/ui/graphs/${encodeURIComponent(name)}`}>{name}</a>;
}
