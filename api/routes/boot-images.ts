/** /boot-images: the image of the microkernel with the settings of one node, which the BMC of the node fetches. */
import { Type } from 'typebox';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { contentReply } from '../http/content.ts';
import { requireFound } from '../http/rejections.ts';
import { route } from '../http/route.ts';
import { FETCH_MS } from '../middleware/static.ts';

export const bootImageRoute = route({
  id: 'getBootImage',
  summary: 'Download the image from which a node boots by virtual media (supports Range requests)',
  method: 'GET',
  path: '/boot-images/:token/microkernel.iso',
  resourceGroup: 'general',
  keyless: true,
  waitMs: FETCH_MS,
  answer: {
    status: 200,
    schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }),
    contentType: 'application/octet-stream',
  },
  rejections: { 206: 'The requested range', 304: 'Not modified', 416: 'The range cannot be satisfied' },
  handle: async ({ engine, params, header, waits }) => {
    waits();
    const image = requireFound(await engine.bootImages.content(params.token ?? ''), noImage);
    return contentReply(image, header, 'application/octet-stream');
  },
});

/** The same for a secret that is wrong and for one that is no longer valid. */
const noImage = () => new NodewrightError('NOT_FOUND', 'No workflow boots a node from this image');
