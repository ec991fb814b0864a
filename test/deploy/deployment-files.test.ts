/** The files of `fixtures/deploy` agree with the daemon, and pass the checkers of their formats. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readConfig } from '../../engine/platform/config/config.ts';
import { secretVariables } from '../../engine/platform/config/environment.ts';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import {
  checker,
  deployed,
  deployedText,
  documentsOf,
  makeAuthority,
  run,
  yamlOf,
} from '../support/source/deployment.ts';
import { VERSIONS } from '../versions.mjs';

const tool = (name: string, server?: string) =>
  needing(checker(name) === undefined ? `${name} is not installed` : undefined, server).serial;
const program = (name: string) => checker(name) ?? name;
const manifests = ['namespace', 'api', 'worker', 'network'].map((name) => `kubernetes/${name}.yaml`);
/** It needs an operator for bare metal in the cluster, so the kustomization does not have it. */
const optional = ['kubernetes/servers.yaml'];

tool('hadolint', 'checkers')('hadolint finds nothing in the Dockerfile', (t) => {
  t.notThrows(() => run(program('hadolint'), 'Dockerfile'));
});

test('images have the newest supported Node.js, and the package accepts the oldest', (t) => {
  const newest = Object.keys(VERSIONS).at(-1);
  for (const file of ['Dockerfile', '.github/workflows/ci.yml']) {
    const majors = [...readFileSync(packagePath(file), 'utf8').matchAll(/\bnode:(\d+)/g)].map(([, major]) => major);
    t.deepEqual([...new Set(majors)], [newest], file);
  }
  const { engines } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  t.is(`${engines.node}.0`, `>=${Object.values(VERSIONS)[0]}`);
});

tool('kubernetes-validate', 'checkers')(
  'the manifests are valid for the oldest and the newest known Kubernetes',
  (t) => {
    for (const version of ['1.28', '1.37']) {
      t.notThrows(
        () =>
          run(program('kubernetes-validate'), '--strict', '-k', version, ...[...manifests, ...optional].map(deployed)),
        version,
      );
    }
  },
);

tool('shellcheck')('shellcheck finds nothing in the script of the authority, and in that of the command', (t) => {
  t.notThrows(() => run('shellcheck', '-s', 'sh', deployed('authority.sh'), packagePath('api/nw')));
});

tool('systemd-analyze')('the unit is valid, and systemd rates its exposure as OK, at most 1.4 of 10', (t) => {
  // The paths of the unit need not exist on this machine.
  const unit = join(folder(t), 'nodewright.service');
  writeFileSync(unit, deployedText('systemd/nodewright.service').replace(/ExecStart=\S+/, 'ExecStart=/bin/true'));
  t.is(run('systemd-analyze', 'verify', '--man=no', unit).trim(), '');
  const limit = ['security', '--offline=true', '--threshold=14', '--no-pager', unit];
  t.notThrows(() => run('systemd-analyze', ...limit), 'its exit code is that of the threshold');
});

tool('systemd-analyze')(
  'the units of backups are valid, and systemd rates their exposure as at most 2.5 of 10',
  (t) => {
    const own = folder(t);
    for (const name of ['nodewright-backup.service', 'nodewright-backup.timer']) {
      const text = deployedText(`systemd/${name}`);
      writeFileSync(join(own, name), text);
    }
    const units = ['service', 'timer'].map((kind) => join(own, `nodewright-backup.${kind}`));
    t.is(run('systemd-analyze', 'verify', '--man=no', ...units).trim(), '');
    const limit = ['security', '--offline=true', '--threshold=25', '--no-pager', units[0] as string];
    t.notThrows(() => run('systemd-analyze', ...limit));
    t.true(deployedText('systemd/nodewright-backup.service').includes('/opt/nodewright/dist/nw.mjs'));
  },
);

for (const name of ['container.json', 'kubernetes/daemon.json']) {
  test(`the daemon accepts ${name}, and its probes lead to the health endpoint`, (t) => {
    const config = readConfig({ NODEWRIGHT_CONFIG: deployed(name) });
    t.is(config.healthEndpoint?.port, 9090);
    t.is(config.dataDir, '/var/lib/nodewright/data');
    t.deepEqual(
      config.httpEndpoints.map(({ port, authEnabled, httpsEnabled }) => [port, authEnabled, httpsEnabled]),
      [
        [8080, true, true],
        [9080, false, false],
      ],
    );
  });
}

interface Deployment {
  kind: string;
  metadata: { name: string };
  spec: { template: { spec: { containers: [Container]; volumes: { name: string }[] } } };
}
interface Container {
  args: string[];
  ports: { name: string; containerPort: number }[];
  env: { name: string; value: string }[];
  volumeMounts: { name: string; mountPath: string }[];
  livenessProbe: { httpGet: object };
  readinessProbe: { httpGet: object };
}

const fileVariables = Object.values(secretVariables).map((name) => `${name}_FILE`);

for (const role of ['api', 'worker']) {
  test(`the ${role}s on Kubernetes have their role, their probes, and variables that the daemon knows`, (t) => {
    const [deployment] = documentsOf<Deployment>(`kubernetes/${role}.yaml`);
    const { containers, volumes } = deployment?.spec.template.spec ?? t.fail('found no deployment');
    const [{ args, ports, env, livenessProbe, readinessProbe, volumeMounts }] = containers;
    t.deepEqual(args, ['--role', role]);
    t.is(ports.find(({ name }) => name === 'health')?.containerPort, 9090);
    t.is(ports.length, role === 'api' ? 3 : 1);
    t.deepEqual(livenessProbe.httpGet, { path: '/healthz', port: 'health' });
    t.deepEqual(readinessProbe.httpGet, { path: '/readyz', port: 'health' });
    for (const { name, value } of env) {
      t.true(fileVariables.includes(name), name);
      t.true(
        volumeMounts.some(({ mountPath }) => value.startsWith(`${mountPath}/`)),
        value,
      );
    }
    t.deepEqual(volumeMounts.map(({ name }) => name).toSorted(), volumes.map(({ name }) => name).toSorted());
  });
}

test('the kustomization names the manifests and the configuration that are there', (t) => {
  const { resources, configMapGenerator } = yamlOf<{
    resources: string[];
    configMapGenerator: { name: string; files: string[] }[];
  }>('kubernetes/kustomization.yaml');
  t.deepEqual(
    resources.map((name) => `kubernetes/${name}`),
    manifests,
  );
  t.deepEqual(configMapGenerator, [{ name: 'nodewright', files: ['config.json=daemon.json'] }]);
});

interface Compose {
  services: Record<string, { secrets?: string[]; environment?: Record<string, string>; command?: string[] }>;
  secrets: Record<string, { file: string }>;
}

tool('openssl')('the authority makes each file that the compose file uses, and keeps it', (t) => {
  const made = join(folder(t), 'secrets');
  makeAuthority(made);
  t.is(statSync(made).mode & 0o777, 0o700, 'the servers read them as users of their own');
  const { services, secrets } = yamlOf<Compose>('compose/compose.yaml');
  for (const [name, { file }] of Object.entries(secrets)) {
    t.is(file, `../secrets/${name}`);
    t.true(existsSync(join(made, name)), name);
  }
  for (const [name, service] of Object.entries(services)) {
    for (const secret of service.secrets ?? []) t.true(secret in secrets, `${name}: ${secret}`);
  }
  for (const [name, path] of Object.entries(services.api?.environment ?? {})) {
    t.true(fileVariables.includes(name), name);
    t.true(
      (services.api?.secrets ?? []).some((secret) => path === `/run/secrets/${secret}`),
      path,
    );
  }
  const password = readFileSync(join(made, 'redis-password'), 'utf8');
  makeAuthority(made);
  t.is(readFileSync(join(made, 'redis-password'), 'utf8'), password, 'a second run keeps it');
  t.false(existsSync(join(made, 'ca-key.pem')));
  const verify = (name: string) =>
    run('openssl', 'verify', '-CAfile', join(made, 'ca.pem'), join(made, `${name}-cert.pem`));
  for (const name of ['redis', 'mongodb', 'rabbitmq', 'nodewright']) t.regex(verify(name), /: OK$/m);
});

test('the files of the authority are outside of every commit and image', (t) => {
  for (const name of ['.gitignore', '.dockerignore']) {
    t.regex(readFileSync(packagePath(name), 'utf8'), /^fixtures\/deploy\/secrets\/?$/m, name);
  }
});
