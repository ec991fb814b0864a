/** /schedules: launches and rollouts at due times. */
import { Type } from 'typebox';
import type { Engine } from '../../engine/api-port/index.ts';
import { optionalTexts, texts, times, word } from '../../engine/api-port/list-filter.ts';
import { nodeQueryOf } from '../../engine/api-port/node-filters.ts';
import {
  runRecord,
  type ScheduleChange,
  scheduleAction,
  scheduleBody,
  scheduleChangeBody,
  schedulePreview,
  schedulePreviewBody,
  scheduleRecord,
} from '../../engine/api-port/schedules.ts';
import { mapPaced } from '../../engine/api-port/values.ts';
import { invalidInput, NodewrightError } from '../../engine/vocabulary/errors.ts';
import { runStatuses } from '../../engine/vocabulary/states.ts';
import { rolesForCommand, rolesForLaunch } from '../auth/launcher-roles.ts';
import { scopeOfMany } from '../auth/reach.ts';
import { requireFound } from '../http/rejections.ts';
import { listReply, recordReply, removalReply } from '../http/replies.ts';
import { type Call, OPTIONS_LIMIT, routesOf } from '../http/route.ts';
import type { OwnedRecords, TeamScope } from '../http/scope.ts';
import { projection } from '../views/projection.ts';
import { teamOf } from './launch.ts';

const route = routesOf('fleet');
const scheduleView = projection(scheduleRecord);
const runView = projection(runRecord);

const scheduleFilters = {
  ...texts('id', 'name'),
  ...optionalTexts('createdBy', 'owner'),
  ...times('createdAt', 'updatedAt'),
  paused: { kind: 'boolean' },
} as const;

const runFilters = { ...texts('id'), ...times('at', 'createdAt'), status: word(runStatuses) };

const noSchedule = (id: string) => new NodewrightError('NOT_FOUND', `Could not find schedule ${id}`);

/** @throws NodewrightError INVALID */
function withQuery<T extends Pick<ScheduleChange, 'launch' | 'rollout'>>(body: T): T & ScheduleChange {
  const { launch, rollout } = body;
  const at = launch === undefined ? 'rollout.targets' : 'launch';
  const chosen = launch ?? rollout?.targets;
  if (chosen === undefined) return body;
  const { nodes, filter } = chosen;
  if ((nodes === undefined) === (filter === undefined))
    throw invalidInput(at, 'has nodes and filter, or neither; expected one of them');
  return filter === undefined ? body : { ...body, query: nodeQueryOf(filter) };
}

const ownedSchedules: OwnedRecords = {
  get: (engine, id) => engine.schedules.get(id),
  missing: noSchedule,
};

type ScheduleStart = Pick<ScheduleChange, 'launch' | 'rollout'>;

const graphIn = ({ launch, rollout }: ScheduleStart): string => launch?.name ?? rollout?.graph ?? '';

/** Returns the team of a member's schedule. @throws NodewrightError INVALID, NOT_FOUND, FORBIDDEN (graph) */
async function scheduleTeam(engine: Engine, scope: TeamScope | undefined, start: ScheduleStart) {
  const { launch, rollout } = start;
  const at = launch === undefined ? 'rollout.targets.nodes' : 'launch.nodes';
  const [first] = launch?.nodes ?? rollout?.targets.nodes ?? [];
  const reached = await scopeOfMany(engine, scope, first, at);
  return teamOf({ scope: reached }, graphIn(start));
}

/** Members change, resume and run schedules of graphs that they may launch. @throws NodewrightError FORBIDDEN */
async function checkScheduled(engine: Engine, scope: TeamScope | undefined, id: string, change: ScheduleStart = {}) {
  if (scope === undefined) return;
  const stored = requireFound(await engine.schedules.get(id), () => noSchedule(id));
  for (const graph of [stored, change].map(graphIn)) if (graph !== '') teamOf({ scope }, graph);
}

/** Returns the roles for the graph of a schedule, which a change may replace. */
const rolesOnSchedule = (call: Pick<Call, 'engine' | 'identity'>, id: string, change: ScheduleStart = {}) =>
  rolesForCommand(call, async () => graphIn(change) || graphIn((await call.engine.schedules.get(id)) ?? {}));

export const scheduleRoutes = [
  route({
    id: 'listSchedules',
    summary: 'List schedules, oldest first',
    method: 'GET',
    path: '/schedules',
    reach: { by: 'handler', list: 'owner' },
    list: scheduleFilters,
    // Each has five due times, which are computed.
    top: 100,
    answer: { status: 200, schema: Type.Array(scheduleRecord) },
    handle: async ({ engine, page }) => {
      const { items, total } = await engine.schedules.list(page);
      return { body: await mapPaced(items, (schedule) => scheduleView(schedule)), total };
    },
  }),
  route({
    id: 'createSchedule',
    summary: 'Create a schedule: a launch or a rollout at due times',
    method: 'POST',
    path: '/schedules',
    reach: { by: 'handler' },
    body: scheduleBody,
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 201, schema: scheduleRecord },
    rejections: { 404: 'No such graph, node or rollout', 409: 'Too many schedules exist' },
    handle: async ({ engine, body, identity, scope }) => {
      const given = {
        ...withQuery(body),
        ...(await scheduleTeam(engine, scope, body)),
        ...rolesForLaunch({ engine, identity }, graphIn(body)),
      };
      const schedule = await engine.schedules.create(given, identity?.username);
      return { body: scheduleView(schedule), headers: { Location: `/api/2.0/schedules/${schedule.id}` } };
    },
  }),
  route({
    id: 'previewSchedule',
    summary: 'Compute the next due times of a schedule; nothing is stored',
    method: 'POST',
    path: '/schedules/preview',
    reach: { by: 'free' },
    computes: true,
    body: schedulePreviewBody,
    answer: { status: 200, schema: schedulePreview },
    handle: async ({ engine, body }) => ({ body: engine.schedules.preview(body) }),
  }),
  route({
    id: 'getSchedule',
    summary: 'Get a schedule, its next due times and its last run',
    method: 'GET',
    path: '/schedules/:id',
    reach: { by: 'record', records: ownedSchedules },
    answer: { status: 200, schema: scheduleRecord },
    handle: async ({ engine, params: { id = '' } }) =>
      recordReply(await engine.schedules.get(id), scheduleView, () => noSchedule(id)),
  }),
  route({
    id: 'changeSchedule',
    summary: 'Change a schedule; it counts immediately',
    method: 'PATCH',
    path: '/schedules/:id',
    reach: { by: 'record', records: ownedSchedules },
    body: scheduleChangeBody,
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 200, schema: scheduleRecord },
    rejections: { 404: 'No such schedule, graph, node or rollout' },
    handle: async ({ engine, identity, body, scope, params: { id = '' } }) => {
      await checkScheduled(engine, scope, id, body);
      const roles = await rolesOnSchedule({ engine, identity }, id, body);
      const change = { ...withQuery(body), ...(roles && { launcherRoles: roles }) };
      return recordReply(await engine.schedules.change(id, change), scheduleView, () => noSchedule(id));
    },
  }),
  route({
    id: 'removeSchedule',
    summary: 'Delete a schedule and its runs; what it started stays',
    method: 'DELETE',
    path: '/schedules/:id',
    reach: { by: 'record', records: ownedSchedules },
    answer: { status: 204 },
    handle: async ({ engine, params: { id = '' } }) =>
      removalReply(await engine.schedules.remove(id), () => noSchedule(id)),
  }),
  route({
    id: 'actOnSchedule',
    summary: 'Pause or resume a schedule, or run it now',
    method: 'PUT',
    path: '/schedules/:id/action',
    reach: { by: 'record', records: ownedSchedules },
    body: scheduleAction,
    answer: { status: 202, schema: scheduleRecord },
    rejections: { 409: 'The command makes no sense in the state of the schedule' },
    handle: async ({ engine, identity, body, scope, params: { id = '' } }) => {
      if (body.command !== 'pause') await checkScheduled(engine, scope, id);
      const roles = await rolesOnSchedule({ engine, identity }, id);
      return recordReply(await engine.schedules.act(id, body, roles), scheduleView, () => noSchedule(id));
    },
  }),
  route({
    id: 'listScheduleRuns',
    summary: 'List the outcomes of the due times of a schedule, newest first',
    method: 'GET',
    path: '/schedules/:id/runs',
    reach: { by: 'record', records: ownedSchedules },
    list: runFilters,
    answer: { status: 200, schema: Type.Array(runRecord) },
    handle: async ({ engine, page, params: { id = '' } }) =>
      listReply(
        requireFound(await engine.schedules.runs(id, page), () => noSchedule(id)),
        runView,
      ),
  }),
];
