/** /windows: the times at which changes may begin. */
import { Type } from 'typebox';
import { optionalTexts, texts, times } from '../../engine/api-port/list-filter.ts';
import {
  newWindow,
  windowChange,
  windowPreview,
  windowPreviewBody,
  windowRecord,
} from '../../engine/api-port/windows.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { listReply, recordReply, removalReply } from '../http/replies.ts';
import { routesOf } from '../http/route.ts';
import { projection } from '../views/projection.ts';

const route = routesOf('fleet');
const windowView = projection(windowRecord);

const noWindow = (id: string) => new NodewrightError('NOT_FOUND', `Could not find window ${id}`);

export const windowRoutes = [
  route({
    id: 'listWindows',
    summary: 'List windows, with their state now',
    method: 'GET',
    path: '/windows',
    reach: { by: 'free' },
    list: { ...texts('id', 'name', 'zone'), ...optionalTexts('createdBy'), ...times('createdAt', 'updatedAt') },
    answer: { status: 200, schema: Type.Array(windowRecord) },
    handle: async ({ engine, page }) => listReply(await engine.windows.list(page), windowView),
  }),
  route({
    id: 'createWindow',
    summary: 'Create a window',
    method: 'POST',
    path: '/windows',
    body: newWindow,
    answer: { status: 201, schema: windowRecord },
    handle: async ({ engine, body, identity }) => {
      const window = await engine.windows.create(body, identity?.username);
      return { body: windowView(window), headers: { Location: `/api/2.0/windows/${window.id}` } };
    },
  }),
  route({
    id: 'previewWindow',
    summary: 'Compute the next openings of a window; nothing is stored',
    method: 'POST',
    path: '/windows/preview',
    computes: true,
    body: windowPreviewBody,
    answer: { status: 200, schema: windowPreview },
    handle: async ({ engine, body }) => ({ body: engine.windows.preview(body) }),
  }),
  route({
    id: 'getWindow',
    summary: 'Get a window, and when it opens and closes',
    method: 'GET',
    path: '/windows/:id',
    reach: { by: 'free' },
    answer: { status: 200, schema: windowRecord },
    handle: async ({ engine, params: { id = '' } }) =>
      recordReply(await engine.windows.get(id), windowView, () => noWindow(id)),
  }),
  route({
    id: 'changeWindow',
    summary: 'Change a window; it counts immediately',
    method: 'PATCH',
    path: '/windows/:id',
    body: windowChange,
    answer: { status: 200, schema: windowRecord },
    handle: async ({ engine, body, params: { id = '' } }) =>
      recordReply(await engine.windows.change(id, body), windowView, () => noWindow(id)),
  }),
  route({
    id: 'removeWindow',
    summary: 'Delete a window',
    method: 'DELETE',
    path: '/windows/:id',
    answer: { status: 204 },
    rejections: { 409: 'Something uses it' },
    handle: async ({ engine, params: { id = '' } }) =>
      removalReply(await engine.windows.remove(id), () => noWindow(id)),
  }),
];
