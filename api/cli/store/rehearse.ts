/**
 * `nw rehearse`: runs a rollout many times in memory, on the site of a backup, before it touches a machine.
 *
 * An engine that does no work answers what the daemon would: the targets, their phases, and what would be rejected. It opens no
 * connection, and decrypts nothing.
 */
import { resolve } from 'node:path';
import type { NewWindow, RolloutBody, RolloutPlanRecord } from '../../../engine/api-port/index.ts';
import type {
  DrawnEnd,
  RehearsalReport,
  RehearsalTarget,
  RehearsalWindow,
} from '../../../engine/api-port/rehearsals.ts';
import { rolloutRequest } from '../../../engine/api-port/rollouts.ts';
import { newWindow } from '../../../engine/api-port/windows.ts';
import { type RunningEngine, readConfig, rehearse, withSite } from '../../../engine/index.ts';
import type { AnyGraph } from '../../../engine/kit/index.ts';
import { invalidInput, NodewrightError } from '../../../engine/vocabulary/errors.ts';
import { type JsonObject, objectIn } from '../../../engine/vocabulary/json.ts';
import { bodyCheck, type Check } from '../../http/check.ts';
import { requestOf } from '../../routes/rollouts.ts';
import { story } from '../../story/story.ts';

export interface RehearseFlags {
  from: string;
  seed?: number;
  faults: 'measured' | 'none';
}

const checkBody: Check<typeof rolloutRequest> = bodyCheck(rolloutRequest);
const checkWindow: Check<typeof newWindow> = bodyCheck(newWindow);

/** Earlier runs with which durations and failures are measured; with fewer, those of twins serve. */
const ENOUGH_RUNS = 10;
const MOST_RUNS = 1_000;
const STORIES = 5;
const PAGE = 500;

/** A rollout in a file: its window is an id, or a window itself. */
export type RehearsalBody = Omit<RolloutBody, 'window' | 'ticket'> & { window?: unknown; ticket?: unknown };

/** The answers of an engine on the backup. */
interface Site {
  plan: RolloutPlanRecord;
  targets: RehearsalTarget[];
  ends: DrawnEnd[];
  graph: AnyGraph;
  window?: RehearsalWindow;
}

/** @throws NodewrightError BACKUP_INVALID, and as a plan of the rollout */
export async function rehearseOn(body: RehearsalBody, { from, seed, faults }: RehearseFlags): Promise<RehearsalReport> {
  const request = { ...body, ...(seed !== undefined && { seed }) };
  const site = await withSite(readConfig(), resolve(from), (engine) => askSite(engine, request));
  const { plan, targets, ends, graph, window } = site;
  const isMeasured = ends.length >= ENOUGH_RUNS;
  const all = isMeasured ? ends : await modelEnds(graph, plan.options);
  const samples = faults === 'none' ? all.filter(({ error }) => error === null) : all;
  if (samples.length === 0)
    throw new NodewrightError(
      'INVALID',
      `no known run of ${plan.graph} succeeded; expected one, of this site or on a twin`,
    );
  return rehearse({
    plan,
    targets,
    rejections: plan.rejections,
    samples,
    basis: isMeasured ? 'measured' : 'models',
    begin: Date.now(),
    ...(window && { window }),
  });
}

async function askSite(engine: RunningEngine, { window: given, ticket: _, ...body }: RehearsalBody): Promise<Site> {
  checkBody(body);
  const plan = await engine.rollouts.plan(await requestOf({ engine, body, identity: undefined }));
  const window = await windowOf(engine, given);
  return {
    plan,
    targets: await withParents(engine, plan.targets),
    ends: await measuredEnds(engine, plan.graph),
    graph: await engine.pinnedGraph(plan.definitionHash),
    ...(window && { window }),
  };
}

async function windowOf(engine: RunningEngine, given: unknown): Promise<RehearsalWindow | undefined> {
  if (given === undefined) return undefined;
  if (typeof given === 'string') {
    const stored = await engine.windows.get(given);
    if (stored === undefined) throw invalidInput('window', `is ${given}; expected the id of a window of the backup`);
    return stored;
  }
  checkWindow({ name: 'window', ...objectIn(given) });
  return { closed: [], leadMinutes: 0, ...(given as NewWindow) };
}

async function withParents(engine: RunningEngine, targets: RolloutPlanRecord['targets']): Promise<RehearsalTarget[]> {
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

/** Each story is a run on a machine of the twin, without faults. */
async function modelEnds(graph: AnyGraph, options: RolloutPlanRecord['options']): Promise<DrawnEnd[]> {
  const ends: DrawnEnd[] = [];
  const launch = Object.keys(options).length === 0 ? {} : { options: options as Record<string, JsonObject> };
  for (let seed = 1; seed <= STORIES; seed += 1) {
    const { elapsedMs, error } = await story(graph, { seed, ...launch });
    ends.push(drawnEnd(elapsedMs, error));
  }
  return ends;
}

const drawnEnd = (durationMs: number, error: DrawnEnd['error']): DrawnEnd => ({
  durationMs,
  error: error && { code: error.code, message: error.message },
});

/** The ends of the newest runs of the graph on this site; cancelled ones say nothing. */
async function measuredEnds(engine: RunningEngine, graph: string): Promise<DrawnEnd[]> {
  const ends: DrawnEnd[] = [];
  for (let skip = 0; skip < MOST_RUNS; skip += PAGE) {
    const filter = { graphName: graph, status: { $in: ['succeeded', 'failed'] } };
    const { items } = await engine.workflows.list({ filter, skip, limit: PAGE, sort: { createdAt: -1 } });
    for (const { startedAt, finishedAt, error } of items) {
      if (startedAt === null || finishedAt === null) continue;
      ends.push(drawnEnd(Date.parse(finishedAt) - Date.parse(startedAt), error));
    }
    if (items.length < PAGE) break;
  }
  return ends;
}
