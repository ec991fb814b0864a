/** /teams: the owners of nodes. Users are bound to them by `bindings` (`users.ts`). */
import { Type } from 'typebox';
import { texts, times } from '../../engine/api-port/list-filter.ts';
import { newTeam, teamChange, teamRecord } from '../../engine/api-port/teams.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { listReply, recordReply, removalReply } from '../http/replies.ts';
import { routesOf } from '../http/route.ts';
import { projection } from '../views/projection.ts';

const route = routesOf('teams');
const teamView = projection(teamRecord);

const noTeam = (name: string) => new NodewrightError('NOT_FOUND', `Could not find team ${name}`);

export const teamRoutes = [
  route({
    id: 'listTeams',
    summary: 'List teams, by name',
    method: 'GET',
    path: '/teams',
    reach: { by: 'handler', list: 'id' },
    list: { ...texts('id', 'name'), ...times('createdAt', 'updatedAt') },
    answer: { status: 200, schema: Type.Array(teamRecord) },
    handle: async ({ engine, page }) => listReply(await engine.teams.list(page), teamView),
  }),
  route({
    id: 'createTeam',
    summary: 'Create a team',
    method: 'POST',
    path: '/teams',
    body: newTeam,
    answer: { status: 201, schema: teamRecord },
    rejections: { 409: 'The name exists' },
    handle: async ({ engine, body, identity }) => {
      const team = await engine.teams.create(body, identity?.username);
      return { body: teamView(team), headers: { Location: `/api/2.0/teams/${team.name}` } };
    },
  }),
  route({
    id: 'getTeam',
    summary: 'Get a team',
    method: 'GET',
    path: '/teams/:name',
    reach: { by: 'handler' },
    answer: { status: 200, schema: teamRecord },
    handle: async ({ engine, scope, params: { name = '' } }) => {
      const isHidden = scope !== undefined && !scope.teams.includes(name);
      return recordReply(isHidden ? undefined : await engine.teams.get(name), teamView, () => noTeam(name));
    },
  }),
  route({
    id: 'changeTeam',
    summary: 'Change the description of a team',
    method: 'PATCH',
    path: '/teams/:name',
    body: teamChange,
    answer: { status: 200, schema: teamRecord },
    handle: async ({ engine, body, params: { name = '' } }) =>
      recordReply(await engine.teams.change(name, body), teamView, () => noTeam(name)),
  }),
  route({
    id: 'removeTeam',
    summary: 'Delete a team that owns nothing and that no user is bound to',
    method: 'DELETE',
    path: '/teams/:name',
    answer: { status: 204 },
    rejections: { 409: 'A node, a workflow or a user names it' },
    handle: async ({ engine, params: { name = '' } }) =>
      removalReply(await engine.teams.remove(name), () => noTeam(name)),
  }),
];
