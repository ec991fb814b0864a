/**
 * The page of the Terraform provider, on the demo: its configuration is applied, changed by others, repaired, imported and removed by a real
 * Terraform or OpenTofu.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { fileScope } from '../support/ava/file-scope.ts';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import { onPath } from '../support/ava/on-path.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { type DemoProcess, demoState, startDemo } from '../support/console/demo-process.ts';
import { seen } from '../support/faults/workload.ts';
import { openTofu } from '../support/servers/opentofu.ts';
import { blocksOf } from '../support/source/page-run.ts';

const SOURCES = packagePath('api/clients/terraform');
/** As the build has it, so that both use the same compiled packages. */
const GO = { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-buildvcs=false -trimpath', GOWORK: 'off' };

const BMC_PASSWORD = 'secret-of-the-bmc';

const terraform = openTofu();
const noGo = onPath('go') === undefined ? 'no Go to build the provider with' : undefined;
const withGo = needing(noGo, 'go');
const withBoth = needing(noGo ?? terraform.missing, noGo ? 'go' : 'terraform');

const page = readFileSync(packagePath('docs/integrate/terraform.md'), 'utf8');
const examples = blocksOf(page).flatMap(({ language, text }) => (language === 'hcl' ? [text] : []));
const configuration = examples.find((text) => text.startsWith('terraform {')) ?? '';
const resources = [...configuration.matchAll(/^resource "(\w+)" "(\w+)"/gm)].map(([, kind, name]) => `${kind}.${name}`);

const scope = fileScope();
const built = folder(scope);

function build(out: string): string {
  const args = ['--import', 'tsx', join(SOURCES, 'build.mjs'), '--out', out];
  return execFileSync(process.execPath, args, { cwd: packagePath('.'), encoding: 'utf8', timeout: WAIT_MS * 3 }).trim();
}

withGo.serial('two builds of the provider are equal, and have the version of the package', (t) => {
  t.timeout(6 * WAIT_MS);
  const [one, other] = [build(built), build(folder(t))];
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  t.true(one.endsWith(`terraform-provider-nodewright_v${version}`), one);
  t.true(readFileSync(one).equals(readFileSync(other)));
});

withGo.serial('its resources are those that the document declares, by the tests of the provider', (t) => {
  t.timeout(6 * WAIT_MS);
  const { status, stdout, stderr } = spawnSync('go', ['test', './...'], {
    cwd: SOURCES,
    env: { ...process.env, ...GO },
    encoding: 'utf8',
    timeout: WAIT_MS * 3,
  });
  t.is(status, 0, `${stdout}${stderr}`);
});

/** Runs the program in a folder. @returns its exit code and all that it printed */
function runner(demo: DemoProcess, cwd: string) {
  const settings = join(cwd, 'settings.rc');
  const override = `dev_overrides { "nodewright/nodewright" = ${JSON.stringify(built)} }`;
  writeFileSync(settings, `provider_installation {\n  ${override}\n  direct {}\n}\n`);
  return (token: string, ...args: string[]): { status: number | null; text: string } => {
    const { status, stdout, stderr } = spawnSync(terraform.path, [...args, '-no-color'], {
      cwd,
      env: {
        PATH: process.env.PATH,
        HOME: cwd,
        TF_CLI_CONFIG_FILE: settings,
        CHECKPOINT_DISABLE: '1',
        TF_IN_AUTOMATION: '1',
        TF_LOG: 'TRACE',
        TF_LOG_PATH: join(cwd, 'trace'),
        TF_VAR_bmc_password: BMC_PASSWORD,
        NW_URL: demo.url,
        NW_TOKEN: token,
      },
      encoding: 'utf8',
      timeout: WAIT_MS,
    });
    return { status, text: `${stdout}${stderr}` };
  };
}

async function send(demo: DemoProcess, method: string, path: string, body?: object): Promise<number> {
  const { status } = await fetch(`${demo.url}/api/current${path}`, {
    method,
    headers: { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(WAIT_MS),
  });
  return status;
}

const LISTS: Record<string, string> = {
  node: '/nodes?name=r03s01',
  sku: '/skus?name=edge%20server',
  graph: '/workflows/graphs?injectableName=Graph.Restart.Spare',
  window: '/windows?name=weekend%20nights',
  schedule: '/schedules?name=restart%20spare%20machines',
  hook: '/hooks?name=failed%20workflows',
  role: '/roles?role=Watcher',
};

type Found = Record<string, Record<string, unknown>[]>;

async function recordsOf(demo: DemoProcess): Promise<Found> {
  const found = Object.entries(LISTS).map(async ([kind, path]) => [kind, await demo.get(path)] as const);
  return Object.fromEntries(await Promise.all(found)) as Found;
}

/** Changes each record as another user, and deletes the hook. @returns the statuses */
async function interfere(demo: DemoProcess): Promise<number[]> {
  const found = await recordsOf(demo);
  const path = (kind: string, list: string) => `${list}/${found[kind]?.[0]?.id}`;
  const tasks = [{ label: 'restart', taskName: 'Task.Obm.Node.Reboot' }];
  return Promise.all([
    send(demo, 'PATCH', path('node', '/nodes'), { tags: ['rack-3'] }),
    send(demo, 'PATCH', path('sku', '/skus'), { rules: [{ path: 'dmi.x', equals: 'Acme' }] }),
    send(demo, 'PUT', '/workflows/graphs', { injectableName: 'Graph.Restart.Spare', friendlyName: 'Other', tasks }),
    send(demo, 'PATCH', path('window', '/windows'), { closed: [] }),
    send(demo, 'PATCH', path('schedule', '/schedules'), { when: { everySec: 86_400 } }),
    send(demo, 'DELETE', path('hook', '/hooks')),
    send(demo, 'PATCH', '/roles/Watcher', { privileges: ['Login'] }),
  ]);
}

/** A user without the rights to change anything. @returns the token */
async function readerOf(demo: DemoProcess): Promise<string> {
  const user = { username: 'reader', password: 'long-enough-to-read' };
  await send(demo, 'POST', '/users', { ...user, role: 'ReadOnly' });
  const answer = await fetch(`${demo.url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(user),
    signal: AbortSignal.timeout(WAIT_MS),
  });
  return ((await answer.json()) as { token: string }).token;
}

const IMPORTED: Record<string, string> = {
  'nodewright_node.spare': 'r03s01',
  'nodewright_sku.edge': 'edge server',
  'nodewright_graph.restart': 'Graph.Restart.Spare',
  'nodewright_window.nights': 'weekend nights',
  'nodewright_schedule.restart': 'restart spare machines',
  'nodewright_hook.failures': 'failed workflows',
  'nodewright_role.watcher': 'Watcher',
};

/** Without what another life of a record changes. */
const settled = (record: Record<string, unknown> = {}) => ({ ...record, id: 0, createdAt: 0, updatedAt: 0, obms: 0 });

const rack = folder(scope);
let demo: DemoProcess;
let run: ReturnType<typeof runner>;
let applied: Found;

const save = (text: string) => writeFileSync(join(rack, 'rack.tf'), text);

withBoth.serial('the page is applied to the demo, and a second plan is empty', async (t) => {
  t.timeout(5 * WAIT_MS);
  t.deepEqual([...resources].sort(), Object.keys(IMPORTED).sort());
  demo = await startDemo(scope, join(folder(scope), 'demo-data'));
  // Before that, its output would change.
  await seen(async () => {
    const { classified, nodes } = await demoState(demo);
    // A node gets its name later than its SKU.
    return classified === 40 && [...nodes.keys()].filter((name) => /^r0[12]s\d\d$/.test(name)).length === 40;
  }, 2 * WAIT_MS);
  run = runner(demo, rack);
  save(configuration);
  const made = run(demo.token, 'apply', '-auto-approve');
  t.is(made.status, 0, made.text);
  t.regex(made.text, /7 added, 0 changed, 0 destroyed/);
  t.regex(made.text, /dell = \[[^\]]*"r02s11"/);
  const again = run(demo.token, 'plan', '-detailed-exitcode');
  t.is(again.status, 0, again.text);
});

withBoth.serial('a plan shows what others changed, and its application repairs that', async (t) => {
  t.timeout(3 * WAIT_MS);
  const first = await recordsOf(demo);
  t.deepEqual(await interfere(demo), [200, 200, 201, 200, 200, 204, 200]);
  const drift = run(demo.token, 'plan', '-detailed-exitcode');
  t.is(drift.status, 2, drift.text);
  t.regex(drift.text, /1 to add, 6 to change, 0 to destroy/);
  for (const name of resources) {
    t.regex(drift.text, new RegExp(`${name} will be ${name.includes('hook') ? 'created' : 'updated in-place'}`));
  }
  const repaired = run(demo.token, 'apply', '-auto-approve');
  t.is(repaired.status, 0, repaired.text);
  applied = await recordsOf(demo);
  for (const [kind, [record]] of Object.entries(applied)) t.deepEqual(settled(record), settled(first[kind]?.[0]), kind);
});

withBoth.serial(
  'a bad value and a user without the right are refused, in words, before anything changes',
  async (t) => {
    t.timeout(4 * WAIT_MS);
    save(configuration.replace('lead_minutes = 30', 'lead_minutes = 40').replaceAll('Europe/Berlin', 'Mars/X'));
    const wrong = run(demo.token, 'apply', '-auto-approve', '-target=nodewright_window.nights');
    t.is(wrong.status, 1, wrong.text);
    t.regex(wrong.text, /change the window: INVALID\s[\s\S]*zone += "Mars\/X"[\s\S]*expected an IANA zone/);
    save(configuration.replace('"Login", "Read"', '"Login", "Reed"'));
    const unknown = run(demo.token, 'plan');
    t.is(unknown.status, 1, unknown.text);
    t.regex(unknown.text, /found "Reed"; expected one of Read, Write/);
    save(configuration);
    const refused = run(await readerOf(demo), 'destroy', '-auto-approve');
    t.is(refused.status, 1, refused.text);
    t.regex(refused.text, /delete the window: FORBIDDEN\s[\s\S]*Privileges that allow it: Write, ConfigureManager/);
    t.deepEqual(await recordsOf(demo), applied);
  },
);

withBoth.serial('what is there is imported by its id or name, and only secrets are sent again', (t) => {
  t.timeout(2 * WAIT_MS);
  const other = folder(t);
  const blocks = Object.entries(IMPORTED).map(
    ([to, id]) => `import {\n  to = ${to}\n  id = ${JSON.stringify(id)}\n}\n`,
  );
  writeFileSync(join(other, 'rack.tf'), configuration + blocks.join(''));
  const taken = runner(demo, other)(demo.token, 'plan');
  t.is(taken.status, 0, taken.text);
  t.regex(taken.text, /7 to import, 0 to add, 2 to change, 0 to destroy/);
});

withBoth.serial('all of it is removed, and no file has the token', async (t) => {
  t.timeout(2 * WAIT_MS);
  const removed = run(demo.token, 'destroy', '-auto-approve');
  t.is(removed.status, 0, removed.text);
  for (const [kind, left] of Object.entries(await recordsOf(demo))) t.deepEqual(left, [], kind);
  const texts = ['trace', 'terraform.tfstate', 'terraform.tfstate.backup'].map((name) =>
    readFileSync(join(rack, name), 'utf8'),
  );
  t.false(texts.some((text) => text.includes(demo.token)));
  t.false(texts[0]?.includes(BMC_PASSWORD));
});
