/** The actor of one node, by pure steps; its row goes through JSON after each step, as in a store. */
import type { NodeMessage, StartCommand } from '../../../engine/durable/actors/messages.ts';
import { type NodeRow, newNodeRow, nodeStep } from '../../../engine/durable/step/node.ts';
import type { Effect } from '../../../engine/durable/step/row.ts';

/** When each step is taken. */
export const NOW = Date.parse('2026-01-01T00:00:00.000Z');
/** A moment after the launch. */
export const at = new Date(NOW + 1).toISOString();

export const start = (id: string): StartCommand => ({
  id,
  graphName: 'Graph.x',
  definitionHash: 'h',
  node: 'n',
  mailboxId: 'n',
  domain: 'default',
  operator: null,
  options: {},
  bindings: {},
  parent: null,
  encrypted: false,
  traceparent: '00-11111111111111111111111111111111-1111111111111111-00',
  createdAt: new Date(NOW).toISOString(),
});

export class NodeActor {
  row: NodeRow = newNodeRow('n', NOW);
  readonly effects: Effect[] = [];

  /** @returns the effects of the step */
  send(message: NodeMessage): Effect[] {
    const { changed, row } = nodeStep(this.row, message, NOW);
    if (!changed) return [];
    const last = row.pendingEffects.at(-1);
    const effects = last?.version === row.version ? last.effects : [];
    this.row = JSON.parse(JSON.stringify({ ...row, pendingEffects: [] })) as NodeRow;
    this.effects.push(...effects);
    return effects;
  }
}
