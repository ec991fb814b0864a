/**
 * Serves the console at /ui: its page at each address without a file, since the page itself reads the address, and the
 * files of the build. Neither contains a secret, so they need no token.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Context, Next } from 'koa';
import { packagePath } from '../../engine/vocabulary/package-path.ts';

const home = packagePath('dist/console');
/** The page of this build: a later build replaces the file, and its scripts expect the routes of a later daemon. */
const page = new Map(['index.html', 'index.html.gz'].map((name) => [name, pageOf(name)]));
/** A file is named by a hash of its content. */
const ASSET = /^\/ui\/assets\/([\w.-]+-[A-Z0-9]{8}\.(?:js|css)|LICENSES\.txt)$/;
const PAGE = /^\/ui(?:\/(?!assets\/).*)?$/;

/** Only the console's own files; no code or style within the page; in no frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const headers = {
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  Vary: 'Accept-Encoding',
};

const types: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.txt': 'text/plain' };

/** @returns undefined: the sources run without a build */
function pageOf(name: string): Buffer | undefined {
  try {
    return readFileSync(join(home, name));
  } catch {
    return undefined;
  }
}

export async function consoleFiles(ctx: Context, next: Next): Promise<void> {
  if (!['GET', 'HEAD'].includes(ctx.method)) return next();
  if (ctx.path === '/' && ctx.accepts('json', 'html') === 'html') return ctx.redirect('/ui');
  const [, asset] = ASSET.exec(ctx.path) ?? [];
  if (asset === undefined && !PAGE.test(ctx.path)) return next();
  ctx.state.route = '/ui/*';
  const isZipped = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  const name = asset === undefined ? 'index.html' : join('assets', asset);
  const file = isZipped ? `${name}.gz` : name;
  const bytes = page.get(file) ?? (await readFile(join(home, file)).catch(() => undefined));
  if (bytes === undefined) return next();
  ctx.set(headers);
  ctx.set('Cache-Control', /^assets\/.*-/.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache');
  if (isZipped) ctx.set('Content-Encoding', 'gzip');
  ctx.type = `${asset === undefined ? 'text/html' : types[extname(asset)]}; charset=utf-8`;
  ctx.body = bytes;
}
