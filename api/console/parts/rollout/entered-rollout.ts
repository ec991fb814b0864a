/** The texts of the form of a rollout as a request. */
import type { PostBody } from '../../../client/requests.ts';

export type EnteredRollout = PostBody<'/rollouts'>;

export interface RolloutTexts {
  graph: string;
  name: string;
  /** Such as `1, 10%, rest`. */
  phases: string;
  /** Every phase but the last waits for a user. */
  waits: boolean;
  running: string;
  relation: string;
  perRelation: string;
  failures: string;
  health: string;
  window: string;
  /** JSON. */
  options: string;
}

/** A few first, and every phase has a node. */
const usualPhases = (nodes: number): string => (nodes < 3 ? 'rest' : nodes < 20 ? '1, rest' : '1, 10%, rest');

/** @param nodes number of nodes */
export const firstTexts = (nodes: number): RolloutTexts => ({
  graph: '',
  name: '',
  phases: usualPhases(nodes),
  waits: true,
  running: '',
  relation: 'enclosedBy',
  perRelation: '',
  failures: '2',
  health: '',
  window: '',
  options: '',
});

/** @throws SyntaxError for options that are no JSON */
export function enteredRollout(texts: RolloutTexts, nodes: readonly string[]): EnteredRollout {
  const { graph, name, running, relation, perRelation, failures, health, window, options } = texts;
  const sizes = texts.phases.split(',').flatMap((text) => (text.trim() === '' ? [] : sizeOf(text.trim())));
  const phases = sizes.map((size, index) => ({
    size,
    ...(texts.waits && index < sizes.length - 1 && { advance: 'manual' as const }),
  }));
  const limits = {
    ...(running !== '' && { running: Number(running) }),
    ...(perRelation !== '' && { per: { [relation]: Number(perRelation) } }),
  };
  const gates = [
    ...(failures === '' ? [] : [{ failures: Number(failures) }]),
    ...(health === 'warning' || health === 'critical' ? [{ health } as const] : []),
  ];
  return {
    ...(name !== '' && { name }),
    graph,
    ...(options.trim() !== '' && { options: JSON.parse(options) }),
    targets: { nodes: [...nodes] },
    ...(phases.length > 0 && { phases }),
    ...(perRelation !== '' && relation === 'enclosedBy' && { order: { by: relation } }),
    limits,
    gates,
    ...(window !== '' && { window }),
  } as EnteredRollout;
}

interface RolloutStart {
  /** Another user approves it first. */
  needsTicket: boolean;
  /** Why this user cannot start it; absent: nothing prevents it. */
  obstacle?: string;
}

/** @param rejections of its plan: nodes that are only left out prevent no start */
export function rolloutStart(rejections: readonly { code: string; message: string }[]): RolloutStart {
  const obstacle = rejections.find(({ code }) => code === 'LAUNCH_RESTRICTED')?.message;
  const needsTicket = rejections.some(({ code }) => code === 'TICKET_REQUIRED');
  return { needsTicket, ...(obstacle !== undefined && { obstacle }) };
}

const sizeOf = (text: string): number | string => (/^\d+$/.test(text) ? Number(text) : text);
