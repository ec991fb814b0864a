/** The data of a site that a rehearsal needs: the plan of the rollout, the relations of its targets, and the ends of earlier runs. */
import type { Engine } from '../../api-port/index.ts';
import { userRejections } from '../../api-port/launch-plans.ts';
import type { DrawnEnd, RehearsalRequest, RehearsalTarget, RehearsalWindow } from '../../api-port/rehearsals.ts';
import type { RolloutPlanRecord } from '../../api-port/rollouts.ts';
import { invalidInput, rejectViolations } from '../../vocabulary/errors.ts';
import { windowViolations } from '../windows/window-requests.ts';

const MOST_RUNS = 1_000;
const PAGE = 500;

export interface RehearsedSite {
  plan: RolloutPlanRecord;
  targets: RehearsalTarget[];
  /** The ends of the newest runs of the graph. */
  ends: DrawnEnd[];
  window?: RehearsalWindow;
}

export type SiteEngine = Pick<Engine, 'rollouts' | 'windows' | 'nodes' | 'workflows'>;

/** @throws NodewrightError as a plan of the rollout */
export async function rehearsedSite(
  engine: SiteEngine,
  { window: given, ...request }: RehearsalRequest,
): Promise<RehearsedSite> {
  const window = await windowOf(engine, given);
  const { rejections, ...plan } = await engine.rollouts.plan(request);
  return {
    // A rehearsal needs neither an approval nor a role.
    plan: { ...plan, rejections: rejections.filter(({ code }) => !userRejections.includes(code)) },
    targets: await withParents(engine, plan.targets),
    ends: await measuredEnds(engine, plan.graph),
    ...(window && { window }),
  };
}

async function windowOf(
  { windows }: SiteEngine,
  given: RehearsalRequest['window'],
): Promise<RehearsalWindow | undefined> {
  if (given === undefined) return undefined;
  if (typeof given === 'string') {
    const stored = await windows.get(given);
    if (stored === undefined) throw invalidInput('window', `is ${given}; expected the id of a window`);
    return stored;
  }
  rejectViolations(windowViolations(given).map(({ path, message }) => ({ path: `window.${path}`, message })));
  return { closed: [], leadMinutes: 0, ...given };
}

async function withParents(engine: SiteEngine, targets: RolloutPlanRecord['targets']): Promise<RehearsalTarget[]> {
  const all: RehearsalTarget[] = [];
  for (let from = 0; from < targets.length; from += PAGE) {
    const some = targets.slice(from, from + PAGE);
    const filter = { id: { $in: some.map(({ node }) => node) } };
    const { items } = await engine.nodes.list({ filter, skip: 0, limit: PAGE, fields: ['id', 'relations'] });
    const byId = new Map(items.map(({ id, relations }) => [id, relations]));
    for (const target of some) {
      const relations = byId.get(target.node) ?? [];
      all.push({ ...target, parents: Object.fromEntries(relations.map((one) => [one.relationType, one.targets])) });
    }
  }
  return all;
}

/** Cancelled runs say nothing. */
async function measuredEnds(engine: SiteEngine, graph: string): Promise<DrawnEnd[]> {
  const ends: DrawnEnd[] = [];
  for (let skip = 0; skip < MOST_RUNS; skip += PAGE) {
    const filter = { graphName: graph, status: { $in: ['succeeded', 'failed'] } };
    const { items } = await engine.workflows.list({ filter, skip, limit: PAGE, sort: { createdAt: -1 } });
    for (const { startedAt, finishedAt, error } of items) {
      if (startedAt === null || finishedAt === null) continue;
      const failed = error && { code: error.code, message: error.message };
      ends.push({ durationMs: Date.parse(finishedAt) - Date.parse(startedAt), error: failed });
    }
    if (items.length < PAGE) break;
  }
  return ends;
}
