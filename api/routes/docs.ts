/**
 * /docs/openapi: the interface as a readable page, served from local files only. It is at /docs too, where northbound the
 * site of the pages replaces it (`middleware/site.ts`).
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Type } from 'typebox';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { type Route, route } from '../http/route.ts';

const pageFolder = packagePath('api/documents/page');
const bundled = dirname(createRequire(packagePath('package.json')).resolve('swagger-ui-dist/package.json'));

/** No external resources; the page's script sets its styles inline. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "frame-ancestors 'none'; form-action 'none'; base-uri 'none'";

const files = [
  { id: 'getDocs', path: '/docs', file: join(pageFolder, 'index.html'), type: 'text/html' },
  { id: 'getDocsOpenApi', path: '/docs/openapi', file: join(pageFolder, 'index.html'), type: 'text/html' },
  { id: 'getDocsScript', path: '/docs/page.js', file: join(pageFolder, 'page.js'), type: 'text/javascript' },
  { id: 'getDocsStyle', path: '/docs/page.css', file: join(pageFolder, 'page.css'), type: 'text/css' },
  {
    id: 'getDocsBundle',
    path: '/docs/swagger-ui-bundle.js',
    file: join(bundled, 'swagger-ui-bundle.js'),
    type: 'text/javascript',
  },
  { id: 'getDocsBundleStyle', path: '/docs/swagger-ui.css', file: join(bundled, 'swagger-ui.css'), type: 'text/css' },
];

export const docsRoutes: Route[] = files.map(({ id, path, file, type }) => {
  // Read on first use: most daemons never serve it.
  let text: string | undefined;
  return route({
    id,
    summary: 'Get a part of the page that shows this document',
    method: 'GET',
    path,
    base: 'root',
    resourceGroup: 'open',
    answer: { status: 200, schema: Type.String(), contentType: type },
    handle: async () => {
      text ??= readFileSync(file, 'utf8');
      const headers = { 'Content-Type': `${type}; charset=utf-8`, 'Content-Security-Policy': POLICY };
      return { status: 200, body: text, headers };
    },
  });
});
