/**
 * Files at the root, for whatever no route answers: what the pack of the node's SKU has at the path, else what there is for
 * all nodes. A path is a key that is looked up, never a path on a disk.
 */
import { extname } from 'node:path';
import type { Context, Next } from 'koa';
import type { Endpoint, Engine } from '../../engine/api-port/index.ts';
import { NodewrightError } from '../../engine/define/errors.ts';
import { within } from '../../engine/define/within.ts';
import { refuseUnstorable } from '../check.ts';
import { contentReply } from '../content.ts';
import { noNode } from '../refusals.ts';
import { send } from '../send.ts';
import { admitted, keyIn } from '../sender.ts';
import { clientAddress } from './client.ts';

/** ms in which a large file that is asked for the first time comes from the store: a boot loader would not ask again. */
export const FETCH_MS = 120_000;
const PATH = 2_048;

/** Of what installers and boot loaders look at; everything else is bytes. */
const types: Record<string, string> = {
  '.txt': 'text/plain; charset=utf-8',
  '.cfg': 'text/plain; charset=utf-8',
  '.ks': 'text/plain; charset=utf-8',
  '.ipxe': 'text/plain; charset=utf-8',
  '.sh': 'text/plain; charset=utf-8',
  '.json': 'application/json',
  '.xml': 'application/xml',
  '.gz': 'application/gzip',
};

const typeOf = (name: string): string => types[extname(name).toLowerCase()] ?? 'application/octet-stream';

export function staticFiles(engine: Engine, endpoint: Endpoint) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const path = ['GET', 'HEAD'].includes(ctx.method) ? pathOf(ctx.path) : undefined;
    if (path === undefined) return next();
    ctx.state.route = '/*';
    const found = await within(find(engine, endpoint, ctx, path), FETCH_MS, () => {
      throw new NodewrightError('UNAVAILABLE', `no file within ${FETCH_MS} ms; ask again`);
    });
    if (found === undefined) return next();
    send(
      ctx,
      contentReply(found, (name) => ctx.get(name), typeOf(path)),
    );
  };
}

/** Decoded once, so what was encoded twice names nothing. @returns undefined for what can be no file */
function pathOf(path: string): string | undefined {
  // The interface's own names are no files, whatever their case.
  if (path === '/' || /^\/(api|redfish)(\/|$)/i.test(path) || path.length > PATH) return undefined;
  try {
    const name = decodeURIComponent(path.slice(1));
    return /[\p{Cc}\\]/u.test(name) ? undefined : name;
  } catch {
    return undefined;
  }
}

async function find(engine: Engine, endpoint: Endpoint, ctx: Context, path: string) {
  return engine.files.static(path, await nodeOf(engine, endpoint, ctx));
}

/** The one that the query names, else the one that asks, by its key or its address; null: none is known. */
async function nodeOf(engine: Engine, endpoint: Endpoint, ctx: Context): Promise<string | null> {
  const { nodeId } = ctx.query;
  const said = Array.isArray(nodeId) ? nodeId[0] : nodeId;
  const address = clientAddress(ctx, endpoint);
  const sender = await engine.southbound.sender(address, keyIn(ctx), true);
  if (said === undefined || said === '') return sender.key?.node ?? (await engine.nodes.idOf(address)) ?? null;
  refuseUnstorable(said, 'query.nodeId');
  const id = await engine.nodes.idOf(said);
  if (id === undefined) throw noNode(said);
  await admitted({ engine, sender }, id);
  return id;
}
