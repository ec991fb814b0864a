/** /hooks: web hook subscriptions and the log of their deliveries. */
import { Type } from 'typebox';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { deliveryStates } from '../../engine/vocabulary/states.ts';
import { optionalTexts, texts, times, word } from '../http/list-filter.ts';
import { required } from '../http/rejections.ts';
import { route } from '../http/route.ts';
import { deliveryRecord, deliveryView, hookChange, hookRecord, hookView, newHook } from '../views/hook.ts';

const noDelivery = (id: string, delivery: string) =>
  new NodewrightError('NOT_FOUND', `Could not find delivery ${delivery} of hook ${id}`);
const noHook = (id: string) => new NodewrightError('NOT_FOUND', `Could not find hook ${id}`);

export const hookRoutes = [
  route({
    id: 'listHooks',
    summary: 'List hooks',
    method: 'GET',
    path: '/hooks',
    resourceGroup: 'monitoring',
    list: { ...texts('id', 'url'), ...optionalTexts('name'), ...times('createdAt', 'updatedAt') },
    answer: { status: 200, schema: Type.Array(hookRecord) },
    handle: async ({ engine, page }) => {
      const { items, total } = await engine.hooks.list(page);
      return { status: 200, body: items.map(hookView), total };
    },
  }),
  route({
    id: 'createHook',
    summary: 'Create a hook; matching events are posted to its url',
    method: 'POST',
    path: '/hooks',
    resourceGroup: 'monitoring',
    body: newHook,
    answer: { status: 201, schema: hookRecord },
    rejections: { 409: 'The url already has a hook, or the limit of hooks is reached' },
    handle: async ({ engine, body }) => {
      const hook = await engine.hooks.create(body);
      return { status: 201, body: hookView(hook), headers: { Location: `/api/2.0/hooks/${hook.id}` } };
    },
  }),
  route({
    id: 'getHook',
    summary: 'Get a hook',
    method: 'GET',
    path: '/hooks/:id',
    resourceGroup: 'monitoring',
    answer: { status: 200, schema: hookRecord },
    handle: async ({ engine, params: { id = '' } }) => {
      const hook = required(await engine.hooks.get(id), () => noHook(id));
      return { status: 200, body: hookView(hook) };
    },
  }),
  route({
    id: 'changeHook',
    summary: 'Update a hook; waiting deliveries go to its new url',
    method: 'PATCH',
    path: '/hooks/:id',
    resourceGroup: 'monitoring',
    body: hookChange,
    answer: { status: 200, schema: hookRecord },
    rejections: { 409: 'The url already has a hook' },
    handle: async ({ engine, body, params: { id = '' } }) => {
      const hook = required(await engine.hooks.update(id, body), () => noHook(id));
      return { status: 200, body: hookView(hook) };
    },
  }),
  route({
    id: 'removeHook',
    summary: 'Delete a hook and its deliveries',
    method: 'DELETE',
    path: '/hooks/:id',
    resourceGroup: 'monitoring',
    answer: { status: 204 },
    handle: async ({ engine, params: { id = '' } }) => {
      if (!(await engine.hooks.remove(id))) throw noHook(id);
      return { status: 204 };
    },
  }),
  route({
    id: 'listDeliveries',
    summary: 'List the deliveries of a hook, newest first',
    method: 'GET',
    path: '/hooks/:id/deliveries',
    resourceGroup: 'monitoring',
    list: {
      ...texts('id', 'eventId', 'type', 'action', 'typeId'),
      ...optionalTexts('nodeId'),
      ...times('createdAt'),
      state: word(deliveryStates),
    },
    answer: { status: 200, schema: Type.Array(deliveryRecord) },
    handle: async ({ engine, page, params: { id = '' } }) => {
      required(await engine.hooks.get(id), () => noHook(id));
      const { items, total } = await engine.hooks.deliveries(id, page);
      return { status: 200, body: items.map(deliveryView), total };
    },
  }),
  route({
    id: 'testHook',
    summary: 'Deliver a test event to a hook, whatever its filters; the answer is the delivery',
    method: 'POST',
    path: '/hooks/:id/test',
    resourceGroup: 'monitoring',
    answer: { status: 202, schema: deliveryRecord },
    handle: async ({ engine, params: { id = '' } }) => {
      const delivery = required(await engine.hooks.test(id), () => noHook(id));
      return { status: 202, body: deliveryView(delivery) };
    },
  }),
  route({
    id: 'redeliver',
    summary: 'Deliver an event to a hook again, at once; the answer is the new delivery, or the one that waits',
    method: 'POST',
    path: '/hooks/:id/deliveries/:delivery/redeliver',
    resourceGroup: 'monitoring',
    answer: { status: 202, schema: deliveryRecord },
    handle: async ({ engine, params: { id = '', delivery = '' } }) => {
      const again = required(await engine.hooks.redeliver(id, delivery), () => noDelivery(id, delivery));
      return { status: 202, body: deliveryView(again) };
    },
  }),
];
