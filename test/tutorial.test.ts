/** The tutorial, the first five minutes and the pages that build on it, run by a shell on real daemons, as they are printed. */
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { packagePath } from '../engine/vocabulary/package-path.ts';
import { shortLived } from './node-arguments.mjs';
import { folder } from './support/ava/folder.ts';
import { putTried } from './support/engine/trial-results.ts';
import { daemonProgram } from './support/servers/program.ts';
import { runPage } from './support/source/page-run.ts';

const page = (path: string): string => readFileSync(packagePath(path), 'utf8');

/** Ports that were free a moment ago, by those of the page. */
async function freePorts(...printed: readonly string[]): Promise<Record<string, string>> {
  const servers = printed.map(() => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const free = servers.map((server) => String((server.address() as { port: number }).port));
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return Object.fromEntries(printed.map((port, at) => [port, free[at] ?? '']));
}

/** Returns a folder for a daemon that has already tried its definitions. */
async function home(t: ExecutionContext): Promise<string> {
  const own = folder(t);
  mkdirSync(join(own, 'data'));
  await putTried(join(own, 'data'));
  return own;
}

/** The program of `npm start`, without the optimization of code, which would take longer than these pages run. */
const START = [process.execPath, ...shortLived(), ...daemonProgram()].join(' ');

test.serial('the tutorial runs as it is printed: its workflow continues after kill -9', async (t) => {
  const own = await home(t);
  await runPage(t, page('docs/author/tutorial.md'), {
    ...(await freePorts('8080', '9080', '9999')),
    '/tmp/nodewright-tutorial': own,
    'npm start': START,
  });
});

const COMMAND = `${process.execPath} ${packagePath('dist/nw.mjs')}`;

const sh = (commands: string): string => `\`\`\`sh\n${commands}\n\`\`\`\n`;

/** Starts the daemon in the background; from the first start on, a curl whose answer is an error fails the page. */
const started = (own: string): string =>
  sh(`cat > ${own}/config.json <<END
{ "dataDir": "${own}/data", "httpEndpoints": [
  { "port": 8080, "routers": "northbound-api-router" }, { "port": 9080, "routers": "southbound-api-router" } ] }
END
NODEWRIGHT_CONFIG=${own}/config.json ${START} > ${own}/log 2>&1 &
DAEMON=$!
command curl -s --retry 60 --retry-delay 1 --retry-all-errors --fail http://127.0.0.1:9080/readyz
curl() { command curl --fail-with-body "$@"; }`);

const STOPPED = sh('kill $DAEMON; wait $DAEMON');
/** The token and the node of the first five minutes are known to the restored daemon. */
const RESTORED = sh('curl -s "$B/api/current/nodes/$NODE" -H "$A"');

/** A reader is slower than a shell: the workflow of the first five minutes has ended when the tour launches the next one. */
const FREE = sh(
  `until curl -s "$B/api/current/nodes/$NODE/workflows?active=true" -H "$A" | grep -qx '\\[\\]'; do sleep 0.2; done`,
);

test.serial(
  'the commands of the first five minutes, of the tour and of the pages for operators succeed as they are printed',
  async (t) => {
    const own = await home(t);
    t.regex(page('README.md'), /^npm ci && npm start/m);
    const [start, ...minutes] = page('docs/operate/first-minutes.md').split('## Launch a graph');
    t.regex(start ?? '', /^npm ci && npm start/m);
    const operators = [
      'docs/operate/tour.md',
      'docs/operate/launch.md',
      'docs/operate/stuck.md',
      'docs/operate/upgrade.md',
    ].map(page);
    const [made = '', restore = ''] = page('docs/operate/backup.md').split('## Restore');
    const backup = [made, STOPPED, restore, started(own), RESTORED];
    await runPage(t, [started(own), ...minutes, FREE, ...operators, ...backup].join('\n'), {
      ...(await freePorts('8080', '9080')),
      '/var/lib/nodewright': own,
      '/etc/nodewright/config.json': join(own, 'config.json'),
      'nodewright backup ': `${COMMAND} backup `,
      'nodewright-backup.tgz': join(own, 'nodewright-backup.tgz'),
    });
  },
);
