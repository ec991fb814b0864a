/** A Koa server that only sends one file from disk: the baseline for files for nodes. */
import { createReadStream } from 'node:fs';
import Koa from 'koa';

const [path] = process.argv.slice(2);
const app = new Koa();
app.use((ctx) => {
  ctx.body = createReadStream(path as string);
});
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number };
  console.log(JSON.stringify({ msg: 'listening', endpoints: [{ port }] }));
  console.log(JSON.stringify({ msg: 'ready' }));
});
