/**
 * Serves the site of the pages at /docs, as `npm run docs` has built it. The addresses of its pages have no extension,
 * those of its folders end with a slash. Requests for other paths, and all of them if the site has not been built, continue
 * to the routes of `routes/docs.ts`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Next } from 'koa';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { builtFiles, hasKnownType } from './built-files.ts';

/** Segments do not begin with a dot. */
const PAGE_PATH = /^\/docs(?:\/((?:[\w-][\w.-]*\/)*)([\w@-][\w.@-]*)?)?$/;

/** Only the site's own files. Examples of code and diagrams are coloured by attributes. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
];

function nameOf(path: string): string | undefined {
  const match = PAGE_PATH.exec(path);
  if (match === null) return undefined;
  const [, folder = '', file = 'index'] = match;
  return `${folder}${hasKnownType(file) ? file : `${file}.html`}`;
}

export function siteFiles(home = packagePath('dist/docs')) {
  const isHashed = (name: string) => /^assets\/.*\.[\w-]{8}\./.test(name);
  const files = builtFiles({ home, route: '/docs/*', policy, nameOf, isHashed });
  return (ctx: Context, next: Next): Promise<void> =>
    files(ctx, async () => {
      const folder = ['GET', 'HEAD'].includes(ctx.method) ? nameOf(`${ctx.path}/`) : undefined;
      if (folder === undefined || !existsSync(join(home, folder))) return next();
      ctx.redirect(`${ctx.path}/`);
    });
}
