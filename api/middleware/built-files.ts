/**
 * Serves the files of a build, each from its compressed copy if the client accepts that. The path of a request is matched
 * against a pattern and is never decoded, so that it cannot lead out of the folder. The files contain no secret, so they
 * need no token.
 */
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Context, Next } from 'koa';

const types: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

export const hasKnownType = (name: string): boolean => extname(name) in types;

export interface Build {
  /** Absolute path of the folder. */
  home: string;
  /** The route, for logs and metrics. */
  route: string;
  /** The `Content-Security-Policy`, by its directives. */
  policy: readonly string[];
  /** @returns the path of the file below `home`; undefined if the request is for something else */
  nameOf(path: string): string | undefined;
  /** Whether the name contains a hash of the content. */
  isHashed(name: string): boolean;
  /** Contents that are in memory, by name. */
  loaded?: ReadonlyMap<string, Buffer | undefined>;
}

export function builtFiles({ home, route, policy, nameOf, isHashed, loaded }: Build) {
  const headers = {
    'Content-Security-Policy': policy.join('; '),
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    Vary: 'Accept-Encoding',
  };
  return async (ctx: Context, next: Next): Promise<void> => {
    const name = ['GET', 'HEAD'].includes(ctx.method) ? nameOf(ctx.path) : undefined;
    if (name === undefined) return next();
    const isZipped = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
    const file = isZipped ? `${name}.gz` : name;
    const bytes = loaded?.get(file) ?? (await readFile(join(home, file)).catch(() => undefined));
    if (bytes === undefined) return next();
    ctx.state.route = route;
    ctx.set(headers);
    ctx.set('Cache-Control', isHashed(name) ? 'public, max-age=31536000, immutable' : 'no-cache');
    if (isZipped) ctx.set('Content-Encoding', 'gzip');
    ctx.type = `${types[extname(name)]}; charset=utf-8`;
    ctx.body = bytes;
  };
}
