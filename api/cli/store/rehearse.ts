/**
 * `nw rehearse`: runs a rollout many times in memory, on a copy of the site, before it touches a machine.
 *
 * An engine that does no work answers what the daemon would: the targets, their phases, and what would be rejected. It opens no
 * connection, and decrypts nothing.
 */
import { resolve } from 'node:path';
import type { Check } from '../../../engine/api-port/query-check.ts';
import type { DrawnEnd, RehearsalReport } from '../../../engine/api-port/rehearsals.ts';
import { type RehearsalBody, rehearsalRequest } from '../../../engine/api-port/rehearsals.ts';
import type { Model } from '../../../engine/hardware/twin/machine/model.ts';
import {
  ENOUGH_RUNS,
  type RehearsedSite,
  readConfig,
  rehearse,
  rehearsedSite,
  type SiteSource,
  withSite,
} from '../../../engine/index.ts';
import type { AnyGraph } from '../../../engine/kit/index.ts';
import { NodewrightError } from '../../../engine/vocabulary/errors.ts';
import type { JsonObject } from '../../../engine/vocabulary/json.ts';
import { bodyCheck } from '../../http/check.ts';
import { rehearsalRequestOf } from '../../routes/rehearsals.ts';
import { story } from '../../story/story.ts';
import type { NodeText } from '../node-names.ts';
import { addRecordedNodes, recordedModels } from './recorded-site.ts';
import { siteNames } from './site-names.ts';

export interface RehearseFlags {
  /** A backup; neither this nor `nodes`: the store of the configuration. */
  from?: string;
  /** A folder of records of BMCs. */
  nodes?: string;
  seed?: number;
  faults: 'measured' | 'none';
}

const checkBody: Check<typeof rehearsalRequest> = bodyCheck(rehearsalRequest);

/** Runs on machines of the twin, with too few earlier ones. */
const STORIES = 5;

interface Rehearsal {
  report: RehearsalReport;
  /** Names the nodes in the report. */
  nameOf: NodeText;
}

/** @throws NodewrightError BACKUP_INVALID, CONFIG_INVALID, and as a plan of the rollout; CommandError */
export async function rehearseOn(
  body: RehearsalBody,
  { from, nodes, seed, faults }: RehearseFlags,
): Promise<Rehearsal> {
  const request = { ...body, ...(seed !== undefined && { seed }) };
  checkBody(request);
  const models = nodes === undefined ? [] : recordedModels(nodes);
  const { ends, graph, nameOf, ...site } = await withSite(readConfig(), sourceOf(from, nodes), async (engine) => {
    await addRecordedNodes(engine, models);
    const answers = await rehearsedSite(engine, await rehearsalRequestOf({ engine, identity: undefined }, request));
    return {
      ...answers,
      graph: await engine.pinnedGraph(answers.plan.definitionHash),
      nameOf: await siteNames(engine.nodes, nodesToName(answers)),
    };
  });
  const { plan } = site;
  const isMeasured = ends.length >= ENOUGH_RUNS;
  const all = isMeasured ? ends : await modelEnds(graph, plan.options, models);
  const samples = faults === 'none' ? all.filter(({ error }) => error === null) : all;
  if (samples.length === 0)
    throw new NodewrightError(
      'INVALID',
      `no known run of ${plan.graph} succeeded; expected one, of this site or on a twin`,
    );
  const { rejections } = plan;
  const basis = isMeasured ? 'measured' : 'models';
  return { report: await rehearse({ ...site, rejections, samples, basis, begin: Date.now() }), nameOf };
}

/** Those that a report may have: parents of targets, and nodes that are rejected. */
const nodesToName = ({ plan, targets }: RehearsedSite): string[] => [
  ...targets.flatMap(({ parents }) => Object.values(parents).flat()),
  ...plan.rejections.map(({ node }) => node),
];

function sourceOf(from: string | undefined, nodes: string | undefined): SiteSource {
  if (nodes !== undefined) return 'empty';
  return from === undefined ? 'store' : { backup: resolve(from) };
}

/** Each story is a run on a machine of the twin, without faults: of the recorded models, or of the usual one. */
async function modelEnds(
  graph: AnyGraph,
  options: RehearsedSite['plan']['options'],
  models: readonly Model[],
): Promise<DrawnEnd[]> {
  const ends: DrawnEnd[] = [];
  const launch = Object.keys(options).length === 0 ? {} : { options: options as Record<string, JsonObject> };
  for (let seed = 1; seed <= STORIES; seed += 1) {
    const model = models[(seed - 1) % models.length];
    const { elapsedMs, error } = await story(graph, { seed, ...launch, ...(model && { model }) });
    ends.push({ durationMs: elapsedMs, error: error && { code: error.code, message: error.message } });
  }
  return ends;
}
