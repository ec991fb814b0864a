/** The page of Kubernetes runs as it is printed; a process that is killed when it has launched launches nothing twice. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parseAllDocuments } from 'yaml';
import { metalOperator } from '../../../api/cli/kubernetes/ironcore-server.ts';
import { metal3 } from '../../../api/cli/kubernetes/metal3-host.ts';
import { objectIn } from '../../../engine/vocabulary/json.ts';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { deferred } from '../../support/ava/deferred.ts';
import { folder } from '../../support/ava/folder.ts';
import { addNode, sharedCliDaemon } from '../../support/console/cli-scene.ts';
import { commandLine } from '../../support/console/command-line.ts';
import { startFakeKubernetes } from '../../support/servers/fake-kubernetes.ts';
import { hostOf, operateMetal3 } from '../../support/servers/fake-operators.ts';
import { runPage } from '../../support/source/page-run.ts';

const daemonOf = sharedCliDaemon();
const consumerRef = { kind: 'Metal3Machine', name: 'worker-7', namespace: 'metal3' };

test.serial('the page runs as it is printed', async (t) => {
  const daemon = await daemonOf();
  await addNode(daemon, 'srv-01', { identifiers: ['02:00:00:00:01:01'] });
  const fake = await startFakeKubernetes(t, 'metal3.io');
  operateMetal3(fake);
  const annotations = { 'nodewright/graph': 'Graph.noop-example' };
  fake.put(hostOf('srv-01', '02:00:00:00:01:01', { annotations }));
  fake.put(hostOf('srv-02', '02:00:00:00:02:01', { annotations, spec: { consumerRef } }));
  const { env, command } = commandLine(t, daemon);
  const variables = {
    NW_URL: env.NW_URL,
    NW_TOKEN: env.NW_TOKEN,
    NW_CONTEXTS: env.NW_CONTEXTS,
    KUBERNETES_TOKEN: fake.token,
  };
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}=${value}\n`);
  const page = readFileSync(packagePath('docs/integrate/kubernetes.md'), 'utf8');
  await runPage(t, page, {
    'export KUBERNETES_URL=http://127.0.0.1:8001\n': `${exports.join('')}nw() { ${command} "$@"; }\nexport KUBERNETES_URL=${fake.url}\n`,
  });
  t.is(fake.annotations('srv-01')['nodewright/state'], 'succeeded');
  t.is((await daemon.api('GET', '/workflows')).body.length, 1);
});

test.serial(
  'a process that is killed with -9 after its launch, before the note of it, launches nothing twice',
  async (t) => {
    const daemon = await daemonOf();
    await addNode(daemon, 'killed', { identifiers: ['02:00:00:00:09:01'] });
    const fake = await startFakeKubernetes(t, 'metal3.io');
    operateMetal3(fake);
    fake.put(hostOf('killed', '02:00:00:00:09:01', { annotations: { 'nodewright/graph': 'Graph.Cli.Wait' } }));
    const file = join(folder(t), 'token');
    writeFileSync(file, fake.token, { mode: 0o600 });
    const nw = commandLine(t, daemon, { KUBERNETES_URL: fake.url });
    const args = ['kubernetes', 'run', '--token-file', file, '--poll', '1s', '-o', 'jsonl'];
    const { promise: noting, resolve } = deferred();
    fake.behave = ({ method }) => {
      if (method !== 'PATCH' || !isDetached(fake.get('killed'))) return false;
      // It has no answer, and is not carried out.
      resolve();
      return true;
    };
    const killed = nw.start(...args);
    await noting;
    killed.signal('SIGKILL');
    await killed.ended;
    fake.behave = undefined;
    t.false('nodewright/workflow' in fake.annotations('killed'));
    const launched = async () => (await daemon.api('GET', '/workflows?injectableName=Graph.Cli.Wait')).body;
    const [first] = await launched();
    const second = nw.start(...args);
    await fake.written.until(() => fake.annotations('killed')['nodewright/workflow'] === first.id);
    second.signal('SIGTERM');
    const { status, stderr } = await second.ended;
    t.is(status, 130, stderr);
    await daemon.api('POST', `/workflows/${first.id}/notification`, {});
    const last = await nw.run(...args);
    t.is(last.status, 0, last.stderr);
    t.regex(last.stdout, /"state":"succeeded"/);
    t.is((await launched()).length, 1);
    t.false(isDetached(fake.get('killed')));
  },
);

const isDetached = ({ status }: Record<string, unknown>): boolean => objectIn(status).operationalStatus === 'detached';

test('the role of the manifest has the resources of both operators, and no rights beyond those that are used', (t) => {
  const text = readFileSync(packagePath('fixtures/deploy/kubernetes/servers.yaml'), 'utf8');
  const documents = parseAllDocuments(text).map((document) => objectIn(document.toJS()));
  const verbs = ['get', 'list', 'watch', 'patch'];
  t.deepEqual(
    documents.find(({ kind }) => kind === 'ClusterRole')?.rules,
    [metal3, metalOperator].map(({ group, resource }) => ({ apiGroups: [group], resources: [resource], verbs })),
  );
});
