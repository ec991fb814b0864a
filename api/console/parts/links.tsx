/** Links to the pages of records. */
import { nameOfNode } from '../data/nodes.ts';

export function WorkflowLink({ id, text = id.slice(0, 8) }: { id: string; text?: string }) {
  return <a href={`/ui/workflows/${encodeURIComponent(id)}`}>{text}</a>;
}

/** @param id null: a workflow without a node */
export function NodeLink({ id }: { id: string | null }) {
  if (id === null) return <span class="quiet">no node</span>;
  return <a href={`/ui/nodes/${encodeURIComponent(id)}`}>{nameOfNode(id)}</a>;
}

export function GraphLink({ name }: { name: string }) {
  return <a href={`/ui/graphs/${encodeURIComponent(name)}`}>{name}</a>;
}
