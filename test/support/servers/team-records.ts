/** One record of each kind that may belong to a team, whose names and options have a word of the team. */
import { DAY_MS } from '../../../engine/vocabulary/units.ts';
import { NOOP, WAITING } from './team-scene.ts';

type Send = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: { id: string } }>;

/** Both teams fail as one. */
const FAILING_GRAPH = 'Graph.Team.Fails';
const failing = {
  friendlyName: 'Fails',
  injectableName: FAILING_GRAPH,
  tasks: [{ label: 'fails', taskName: 'Task.Fixture.Fail' }],
};

/** Ids by kind. */
export type TeamRecords = Record<string, string>;

/**
 * @param word in the names of all records @param node of the team, free
 * @param send requests of a member of the team @param site those of a user of the whole site
 * @param end resolves when the workflow has ended
 */
export async function makeTeamRecords(
  word: string,
  node: string,
  { send, site, end }: { send: Send; site: Send; end(workflow: string): Promise<unknown> },
): Promise<TeamRecords> {
  const made = async (path: string, body: unknown, by = send, method = 'POST'): Promise<string> => {
    const answer = await by(method, path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.id;
  };
  const options = { defaults: { note: word } };
  const reason = `${word} is repaired`;
  const hold = await made(`/nodes/${node}/holds`, { kind: 'repair', reason, blocks: ['poll'] });
  await site('PUT', '/workflows/graphs', failing);
  const failed = await made(`/nodes/${node}/workflows`, { name: FAILING_GRAPH });
  await end(failed);
  const batch = await made('/nodes/workflows', { name: NOOP, nodes: [node] });
  const workflow = await made(`/nodes/${node}/workflows`, { name: WAITING, options: {} });
  const action = await made('/workflows/actions', { command: 'pause', ids: [workflow] });
  const rollout = await made('/rollouts', { name: `${word} rollout`, graph: WAITING, targets: { nodes: [node] } });
  // In the calendar of the next days, but not during the test.
  const when = { at: new Date(Date.now() + DAY_MS).toISOString() };
  const schedule = await made('/schedules', { name: `${word} nightly`, when, launch: { name: NOOP, nodes: [node] } });
  const ticket = await made('/tickets', { launch: { name: NOOP, nodes: [node] } });
  const catalog = await made(`/nodes/${node}/catalogs`, { source: 'dmi', data: options }, site);
  return { node, hold, failed, batch, workflow, action, rollout, schedule, ticket, catalog };
}
