/** /roles: sets of privileges. Built-in roles cannot be changed; a user cannot grant privileges that the user lacks. */
import { Type } from 'typebox';
import { texts } from '../../engine/api-port/list-filter.ts';
import { checkHolds } from '../auth/rank.ts';
import { pagedList } from '../http/list.ts';
import { noRole, requireFound } from '../http/rejections.ts';
import { recordReply, removalReply } from '../http/replies.ts';
import { routesOf } from '../http/route.ts';
import { privilegeList } from '../views/common.ts';
import { roleRecord, roleView } from '../views/role.ts';

const route = routesOf('roles');

export const newRole = Type.Object(
  { role: Type.String({ pattern: '^[A-Za-z][0-9A-Za-z._-]*$', maxLength: 256 }), privileges: privilegeList },
  { additionalProperties: false },
);
const roleChange = Type.Object({ privileges: privilegeList }, { additionalProperties: false });

export const roleRoutes = [
  route({
    id: 'listRoles',
    summary: 'List roles',
    method: 'GET',
    path: '/roles',
    reach: { by: 'free' },
    list: texts('role'),
    answer: { status: 200, schema: Type.Array(roleRecord) },
    handle: async ({ engine, page }) => {
      const { items, total } = pagedList((await engine.roles.all()).map(roleView), page, 'role');
      return { body: items, total };
    },
  }),
  route({
    id: 'createRole',
    summary: 'Create a role',
    method: 'POST',
    path: '/roles',
    rank: 'role',
    body: newRole,
    answer: { status: 201, schema: roleRecord },
    rejections: { 409: 'The name exists' },
    handle: async ({ engine, body, identity }) => {
      checkHolds(identity, body.privileges);
      await engine.roles.create(body);
      return { body: roleView(body), headers: { Location: `/api/2.0/roles/${body.role}` } };
    },
  }),
  route({
    id: 'getRole',
    summary: 'Get a role',
    method: 'GET',
    path: '/roles/:name',
    reach: { by: 'free' },
    answer: { status: 200, schema: roleRecord },
    handle: async ({ engine, params: { name = '' } }) =>
      recordReply(await engine.roles.get(name), roleView, () => noRole(name)),
  }),
  route({
    id: 'changeRole',
    summary: 'Change the privileges of a role with immediate effect',
    method: 'PATCH',
    path: '/roles/:name',
    rank: 'role',
    body: roleChange,
    answer: { status: 200, schema: roleRecord },
    handle: async ({ engine, body, identity, params: { name = '' } }) => {
      const before = requireFound(await engine.roles.get(name), () => noRole(name));
      for (const { privileges } of [before, body]) checkHolds(identity, privileges);
      const role = await engine.roles.update({ role: name, privileges: body.privileges });
      return { body: roleView(requireFound(role, () => noRole(name))) };
    },
  }),
  route({
    id: 'removeRole',
    summary: 'Delete a role that no user has',
    method: 'DELETE',
    path: '/roles/:name',
    rank: 'role',
    answer: { status: 204 },
    rejections: { 409: 'A user has the role' },
    handle: async ({ engine, identity, params: { name = '' } }) => {
      const role = requireFound(await engine.roles.get(name), () => noRole(name));
      checkHolds(identity, role.privileges);
      return removalReply(await engine.roles.remove(name), () => noRole(name));
    },
  }),
];
