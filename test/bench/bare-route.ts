/** A Koa route that only reads one document from the embedded store: the baseline for the API. */
import { Router } from '@koa/router';
import Koa from 'koa';
import { nodeSpec } from '../../engine/inventory/nodes/stored-node.ts';
import { openEmbeddedStore } from '../../engine/platform/store/embedded.ts';

const [dataDir] = process.argv.slice(2);
const store = await openEmbeddedStore({ dataDir: dataDir as string });
const nodes = await store.collection(nodeSpec);
const router = new Router();
router.get('/api/current/nodes/:id', async (ctx) => {
  ctx.body = await nodes.get(ctx.params.id as string);
});
const app = new Koa();
app.use(router.routes());
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number };
  console.log(JSON.stringify({ msg: 'listening', endpoints: [{ port }] }));
  console.log(JSON.stringify({ msg: 'ready' }));
});
