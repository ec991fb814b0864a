/**
 * Serves files at the root, for paths that match no route: the file in the pack of the node's SKU, else the file for
 * all nodes. The path is a lookup key, never a path on disk.
 */
import { extname } from 'node:path';
import type { Context, Next } from 'koa';
import type { Endpoint, Engine } from '../../engine/api-port/index.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { withTimeout } from '../../engine/vocabulary/with-timeout.ts';
import { rejectUnstorable } from '../http/check.ts';
import { contentReply } from '../http/content.ts';
import { noNode } from '../http/rejections.ts';
import { sendReply } from '../http/send-reply.ts';
import { admittedAs, keyIn } from '../http/southbound-sender.ts';
import { clientAddress } from './client.ts';

/** ms; a large file may have to be fetched from the store first, and boot loaders do not retry. */
export const FETCH_MS = 120_000;
const PATH_LENGTH = 2_048;

/** Media types for installers and boot loaders; other files are sent as bytes. */
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
    const found = await withTimeout(find(engine, endpoint, ctx, path), FETCH_MS, () => {
      throw new NodewrightError('UNAVAILABLE', `the file was not available within ${FETCH_MS} ms; retry`);
    });
    if (found === undefined) return next();
    sendReply(
      ctx,
      contentReply(found, (name) => ctx.get(name), typeOf(path)),
    );
  };
}

/** Decodes a path once; double encoding matches nothing. @returns undefined for a path that cannot be a file */
function pathOf(path: string): string | undefined {
  // Paths of the API are never files, in either case of letters.
  if (path === '/' || /^\/(api|redfish)(\/|$)/i.test(path) || path.length > PATH_LENGTH) return undefined;
  try {
    const name = decodeURIComponent(path.slice(1));
    return /[\p{Cc}\\]/u.test(name) ? undefined : name;
  } catch {
    return undefined;
  }
}

async function find(engine: Engine, endpoint: Endpoint, ctx: Context, path: string) {
  return engine.files.staticFile(path, await nodeOf(engine, endpoint, ctx));
}

/** Returns the node named in the query, else the sender's node by its key or address; null if unknown. */
async function nodeOf(engine: Engine, endpoint: Endpoint, ctx: Context): Promise<string | null> {
  const { nodeId } = ctx.query;
  const said = Array.isArray(nodeId) ? nodeId[0] : nodeId;
  const address = clientAddress(ctx, endpoint);
  const sender = await engine.southbound.sender(address, keyIn(ctx), true);
  if (said === undefined || said === '') return sender.key?.node ?? (await engine.nodes.idOf(address)) ?? null;
  rejectUnstorable(said, 'query.nodeId');
  const id = await engine.nodes.idOf(said);
  if (id === undefined) throw noNode(said);
  await admittedAs({ engine, sender }, id);
  return id;
}
