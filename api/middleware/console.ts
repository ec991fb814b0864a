/** Serves the console at /ui: its page at each address without a file, since the page itself reads the address. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Next } from 'koa';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { builtFiles } from './built-files.ts';

const home = packagePath('dist/console');
/** The page of this build: a later build replaces the file, and its scripts expect the routes of a later daemon. */
const loaded = new Map(['index.html', 'index.html.gz'].map((name) => [name, pageOf(name)]));
/** A file is named by a hash of its content. */
const ASSET = /^\/ui\/(assets\/(?:[\w.-]+-[A-Z0-9]{8}\.(?:js|css|woff2)|LICENSES\.txt))$/;
const PAGE_PATH = /^\/ui(?:\/(?!assets\/).*)?$/;
/** The page of the parts is for those who change them: a package, which has no sources of the console, has no such page. */
const PARTS_PATH = existsSync(packagePath('api/console/main.tsx')) ? undefined : '/ui/parts';

/** Only the console's own files; no code or style within the page; in no frame. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
];

/** @returns undefined: the sources run without a build */
function pageOf(name: string): Buffer | undefined {
  try {
    return readFileSync(join(home, name));
  } catch {
    return undefined;
  }
}

const files = builtFiles({
  home,
  route: '/ui/*',
  policy,
  nameOf: (path) => (PAGE_PATH.test(path) && path !== PARTS_PATH ? 'index.html' : ASSET.exec(path)?.[1]),
  isHashed: (name) => /^assets\/.*-/.test(name),
  loaded,
});

export async function consoleFiles(ctx: Context, next: Next): Promise<void> {
  if (['GET', 'HEAD'].includes(ctx.method) && ctx.path === '/' && ctx.accepts('json', 'html') === 'html') {
    return ctx.redirect('/ui');
  }
  return files(ctx, next);
}
