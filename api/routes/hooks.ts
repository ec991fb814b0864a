/** /hooks: web hook subscriptions and the log of their deliveries. */
import { Type } from 'typebox';
import { deliveryRecord, hookChange, hookRecord, newHook } from '../../engine/api-port/hooks.ts';
import { optionalTexts, texts, times, word } from '../../engine/api-port/list-filter.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { deliveryStates } from '../../engine/vocabulary/states.ts';
import { requireFound } from '../http/rejections.ts';
import { listReply, recordReply, removalReply } from '../http/replies.ts';
import { routesOf } from '../http/route.ts';
import { deliveryView, hookView } from '../views/hook.ts';

const route = routesOf('monitoring');

const noDelivery = (id: string, delivery: string) =>
  new NodewrightError('NOT_FOUND', `Could not find delivery ${delivery} of hook ${id}`);
const noHook = (id: string) => new NodewrightError('NOT_FOUND', `Could not find hook ${id}`);

export const hookRoutes = [
  route({
    id: 'listHooks',
    summary: 'List hooks',
    method: 'GET',
    path: '/hooks',
    list: { ...texts('id', 'url'), ...optionalTexts('name'), ...times('createdAt', 'updatedAt') },
    answer: { status: 200, schema: Type.Array(hookRecord) },
    handle: async ({ engine, page }) => listReply(await engine.hooks.list(page), hookView),
  }),
  route({
    id: 'createHook',
    summary: 'Create a hook; matching events are posted to its url',
    method: 'POST',
    path: '/hooks',
    body: newHook,
    answer: { status: 201, schema: hookRecord },
    rejections: { 409: 'The url already has a hook, or the limit of hooks is reached' },
    handle: async ({ engine, body }) => {
      const hook = await engine.hooks.create(body);
      return { body: hookView(hook), headers: { Location: `/api/2.0/hooks/${hook.id}` } };
    },
  }),
  route({
    id: 'getHook',
    summary: 'Get a hook',
    method: 'GET',
    path: '/hooks/:id',
    answer: { status: 200, schema: hookRecord },
    handle: async ({ engine, params: { id = '' } }) =>
      recordReply(await engine.hooks.get(id), hookView, () => noHook(id)),
  }),
  route({
    id: 'changeHook',
    summary: 'Update a hook; waiting deliveries go to its new url',
    method: 'PATCH',
    path: '/hooks/:id',
    body: hookChange,
    answer: { status: 200, schema: hookRecord },
    rejections: { 409: 'The url already has a hook' },
    handle: async ({ engine, body, params: { id = '' } }) =>
      recordReply(await engine.hooks.update(id, body), hookView, () => noHook(id)),
  }),
  route({
    id: 'removeHook',
    summary: 'Delete a hook and its deliveries',
    method: 'DELETE',
    path: '/hooks/:id',
    answer: { status: 204 },
    handle: async ({ engine, params: { id = '' } }) => removalReply(await engine.hooks.remove(id), () => noHook(id)),
  }),
  route({
    id: 'listDeliveries',
    summary: 'List the deliveries of a hook, newest first',
    method: 'GET',
    path: '/hooks/:id/deliveries',
    list: {
      ...texts('id', 'eventId', 'type', 'action', 'typeId'),
      ...optionalTexts('nodeId'),
      ...times('createdAt'),
      state: word(deliveryStates),
    },
    answer: { status: 200, schema: Type.Array(deliveryRecord) },
    handle: async ({ engine, page, params: { id = '' } }) => {
      requireFound(await engine.hooks.get(id), () => noHook(id));
      const { items, total } = await engine.hooks.deliveries(id, page);
      return { body: items.map(deliveryView), total };
    },
  }),
  route({
    id: 'testHook',
    summary: 'Deliver a test event to a hook, whatever its filters; the answer is the delivery',
    method: 'POST',
    path: '/hooks/:id/test',
    answer: { status: 202, schema: deliveryRecord },
    handle: async ({ engine, params: { id = '' } }) =>
      recordReply(await engine.hooks.test(id), deliveryView, () => noHook(id)),
  }),
  route({
    id: 'redeliver',
    summary: 'Deliver an event to a hook again, immediately; the answer is the new delivery, or the one that waits',
    method: 'POST',
    path: '/hooks/:id/deliveries/:delivery/redeliver',
    answer: { status: 202, schema: deliveryRecord },
    handle: async ({ engine, params: { id = '', delivery = '' } }) =>
      recordReply(await engine.hooks.redeliver(id, delivery), deliveryView, () => noDelivery(id, delivery)),
  }),
];
