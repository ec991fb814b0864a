/** `npm run screenshots`: pictures for README and the pages, of the demo. Small: WebP, at half the quality. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../engine/vocabulary/package-path.ts';
import { folder } from './support/ava/folder.ts';
import { WAIT_MS } from './support/ava/patience.ts';
import { OwnScope } from './support/ava/scope.ts';
import { logIn, noBrowser, openBrowser, openPage } from './support/console/browser.ts';
import { demoState, isDemoComplete, startDemo } from './support/console/demo-process.ts';
import { seen } from './support/faults/workload.ts';

const pictures = packagePath('api/console/pictures');

const scope = new OwnScope();
try {
  if (noBrowser !== undefined) throw new Error(noBrowser);
  const demo = await startDemo(scope, join(folder(scope), 'demo-data'));
  await seen(async () => isDemoComplete(await demoState(demo)), 3 * WAIT_MS);
  const { nodes, workflowOf } = await demoState(demo);
  const paths = {
    demo: '/',
    nodes: '/nodes',
    workflow: `/workflows/${workflowOf('r01s03')?.id}`,
    node: `/nodes/${nodes.get('r01s01')}`,
  };
  const shown = await openPage(scope, await openBrowser(scope), demo.url);
  await shown.page.setViewport({ width: 1_200, height: 900 });
  await logIn(shown, demo.user, demo.password);
  mkdirSync(pictures, { recursive: true });
  for (const [name, path] of Object.entries(paths)) {
    await shown.visit(path);
    await shown.settled();
    await shown.page.screenshot({ path: `${pictures}/${name}.webp`, type: 'webp', quality: 50 });
  }
} finally {
  await scope.close();
}
