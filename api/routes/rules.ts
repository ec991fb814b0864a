/** /rules: a launch or a hold on the node of each event that matches. */
import { Type } from 'typebox';
import { optionalTexts, texts, times, word } from '../../engine/api-port/list-filter.ts';
import { ruleBody, ruleChangeBody, ruleRecord, ruleRunRecord, ruleTestRecord } from '../../engine/api-port/rules.ts';
import { timeOrDate } from '../../engine/api-port/schemas.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { ruleRunReasons, ruleRunStatuses } from '../../engine/vocabulary/states.ts';
import { requireFound } from '../http/rejections.ts';
import { listReply, recordReply, removalReply } from '../http/replies.ts';
import { OPTIONS_LIMIT, routesOf } from '../http/route.ts';
import { projection } from '../views/projection.ts';

const route = routesOf('fleet');
const ruleView = projection(ruleRecord);
const ruleRunView = projection(ruleRunRecord);
const ruleTestView = projection(ruleTestRecord);

const ruleFilters = {
  ...texts('id', 'name'),
  ...optionalTexts('createdBy'),
  ...times('createdAt', 'updatedAt'),
  enabled: { kind: 'boolean' },
} as const;

const ruleRunFilters = {
  ...texts('id', 'event', 'node'),
  ...times('createdAt', 'updatedAt'),
  status: word(ruleRunStatuses),
  reason: word(ruleRunReasons),
};

const ruleTestQuery = Type.Object({
  since: Type.Optional(timeOrDate('a time or a date; by default all events of the log')),
});

const noRule = (id: string) => new NodewrightError('NOT_FOUND', `Could not find rule ${id}`);

export const ruleRoutes = [
  route({
    id: 'listRules',
    summary: 'List rules, oldest first',
    method: 'GET',
    path: '/rules',
    list: ruleFilters,
    answer: { status: 200, schema: Type.Array(ruleRecord) },
    handle: async ({ engine, page }) => listReply(await engine.rules.list(page), ruleView),
  }),
  route({
    id: 'createRule',
    summary: 'Create a rule: a launch or a hold on the node of each event that matches; it is disabled',
    method: 'POST',
    path: '/rules',
    body: ruleBody,
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 201, schema: ruleRecord },
    rejections: { 404: 'No such graph', 409: 'The launch needs a ticket, or too many rules exist' },
    handle: async ({ engine, body, identity }) => {
      const rule = await engine.rules.create(body, identity?.username);
      return { body: ruleView(rule), headers: { Location: `/api/2.0/rules/${rule.id}` } };
    },
  }),
  route({
    id: 'getRule',
    summary: 'Get a rule',
    method: 'GET',
    path: '/rules/:id',
    answer: { status: 200, schema: ruleRecord },
    handle: async ({ engine, params: { id = '' } }) =>
      recordReply(await engine.rules.get(id), ruleView, () => noRule(id)),
  }),
  route({
    id: 'changeRule',
    summary: 'Enable, disable or change a rule; it acts on later events',
    method: 'PATCH',
    path: '/rules/:id',
    body: ruleChangeBody,
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 200, schema: ruleRecord },
    rejections: { 404: 'No such rule or graph', 409: 'The launch needs a ticket' },
    handle: async ({ engine, body, params: { id = '' } }) =>
      recordReply(await engine.rules.change(id, body), ruleView, () => noRule(id)),
  }),
  route({
    id: 'removeRule',
    summary: 'Delete a rule and its runs; its workflows and holds stay',
    method: 'DELETE',
    path: '/rules/:id',
    answer: { status: 204 },
    handle: async ({ engine, params: { id = '' } }) => removalReply(await engine.rules.remove(id), () => noRule(id)),
  }),
  route({
    id: 'testRule',
    summary: 'List the events of the log on which a rule would have acted; nothing is started',
    method: 'POST',
    path: '/rules/:id/test',
    computes: true,
    query: ruleTestQuery,
    answer: { status: 200, schema: ruleTestRecord },
    handle: async ({ engine, query: { since }, params: { id = '' } }) => {
      const from = since === undefined ? undefined : new Date(since).toISOString();
      return recordReply(await engine.rules.test(id, from), ruleTestView, () => noRule(id));
    },
  }),
  route({
    id: 'listRuleRuns',
    summary: 'List the events that matched a rule, and what it did, newest first',
    method: 'GET',
    path: '/rules/:id/runs',
    list: ruleRunFilters,
    answer: { status: 200, schema: Type.Array(ruleRunRecord) },
    handle: async ({ engine, page, params: { id = '' } }) =>
      listReply(
        requireFound(await engine.rules.runs(id, page), () => noRule(id)),
        ruleRunView,
      ),
  }),
];
