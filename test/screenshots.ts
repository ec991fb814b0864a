/**
 * `npm run screenshots`: pictures of the console for README and the pages, of a daemon with invented machines. Small: WebP,
 * at half the quality.
 */
import { mkdirSync } from 'node:fs';
import { packagePath } from '../engine/vocabulary/package-path.ts';
import { OwnScope } from './support/ava/scope.ts';
import { logIn, noBrowser, openBrowser, openPage } from './support/console/browser.ts';
import { fillConsole, originOf, pathsOf } from './support/console/console-scene.ts';
import { folders } from './support/engine/engine.ts';
import { credentials, startDaemonProcess } from './support/servers/daemon.ts';

const folder = packagePath('api/console/pictures');
const pictures = { overview: '/', workflow: '/workflows/:id', node: '/nodes/:id' } as const;

const scope = new OwnScope();
try {
  if (noBrowser !== undefined) throw new Error(noBrowser);
  const daemon = await startDaemonProcess(scope, { config: folders });
  const paths: Record<string, string> = pathsOf(await fillConsole(daemon, 'PowerEdge R640'));
  const shown = await openPage(scope, await openBrowser(scope), originOf(daemon));
  await shown.page.setViewport({ width: 1_200, height: 900 });
  await logIn(shown, credentials.username, credentials.password);
  mkdirSync(folder, { recursive: true });
  for (const [name, pattern] of Object.entries(pictures)) {
    await shown.visit(paths[pattern] ?? pattern);
    await shown.settled();
    await shown.page.screenshot({ path: `${folder}/${name}.webp`, type: 'webp', quality: 50 });
  }
} finally {
  await scope.close();
}
