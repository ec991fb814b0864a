/** The agents of a twin's machines, with a daemon that answers as the test says. */
import test, { type ExecutionContext } from 'ava';
import { runAgent } from '../../../../engine/hardware/twin/agent/run-agent.ts';
import { runRackhdAgent } from '../../../../engine/hardware/twin/agent/run-rackhd-agent.ts';
import { bootKindOf } from '../../../../engine/hardware/twin/installing/boot-kind.ts';
import type { SouthAnswer, SouthRequest } from '../../../../engine/hardware/twin/machine/twin-machine.ts';
import { bootOf } from '../../../../engine/hardware/twin/pxe.ts';
import { shellQuoted } from '../../../../engine/vocabulary/shell-quoted.ts';
import { offlineTwin } from '../../../support/twin/offline-twin.ts';

const api = 'http://127.0.0.1:9080/api/current';
const image = { kernel: 'vmlinuz', cmdline: `nodewright.api=${api} nodewright.node=n1 nodewright.key=k.1` };

/** The timers of a twin do not keep its process alive. */
const heartbeat = setInterval(() => {}, 1_000);
test.after.always(() => clearInterval(heartbeat));

const task = (command: string, more: Record<string, string> = {}): SouthAnswer => {
  const values = { ID: 'c1', TASK: 't1', TIMEOUT: '60', LIMIT: '8', LISTENS: '', CANCELLED: '', CALLBACK: '', ...more };
  const lines = Object.entries({ ...values, COMMAND: command }).map(
    ([name, value]) => `NW_${name}=${shellQuoted(value)}\n`,
  );
  return { status: 200, text: lines.join('') };
};

interface Results {
  tasks: Record<string, unknown>[];
}

const textOf = (value: unknown): string => Buffer.from(String(value), 'base64').toString();

/** Runs the agent until its daemon has no more answers. @param answers of requests after the script, in order */
async function exchanged(
  t: ExecutionContext,
  answers: (SouthAnswer | 'none')[],
  kernel = image,
): Promise<SouthRequest[]> {
  const ending = new AbortController();
  const rest = [...answers];
  const twin = offlineTwin({
    answer: ({ url }) => {
      if (url.includes('/tasks/bootstrap.')) return { status: 200, text: "tasksPath = '/api/current/tasks/02:70'" };
      const next = rest.shift();
      if (next === undefined) ending.abort(new Error('the test ends'));
      return next === 'none' ? undefined : (next ?? { status: 204, text: '' });
    },
  });
  const run = bootKindOf(kernel) === 'agent' ? runAgent : runRackhdAgent;
  await t.throwsAsync(run(twin.machine, kernel, ending.signal), { message: 'the test ends' });
  return twin.asked;
}

const pollsOf = (asked: SouthRequest[]) =>
  asked.filter(({ url }) => url.includes('agent=')).map(({ url }) => /agent=([^&]+)/.exec(url)?.[1]);
const resultsOf = (asked: SouthRequest[]) => asked.flatMap(({ body }) => (body as Results | undefined)?.tasks ?? []);

test('a result is submitted until the daemon has it; its output is cut, its length is not', async (t) => {
  const taken = { status: 201, text: '' };
  const asked = await exchanged(t, [
    task('echo 0123456789'),
    'none',
    { status: 503, text: '' },
    { status: 429, text: '' },
    taken,
  ]);
  const results = resultsOf(asked);
  t.is(results.length, 4);
  for (const result of results) t.like(result, { id: 'c1', exitCode: 0, encoding: 'base64', stdoutBytes: 11 });
  t.is(textOf(results[0]?.stdout), '01234567');
  t.true(asked.every(({ headers }) => headers?.['x-nodewright-key'] === 'k.1'));
});

test('a rejected result is reported as the failure of the command', async (t) => {
  const [first, second] = resultsOf(
    await exchanged(t, [task('hostname'), { status: 413, text: '' }, { status: 201, text: '' }]),
  );
  t.is(first?.exitCode, 0);
  t.like(second, { id: 'c1', exitCode: 125, stdout: '' });
  t.regex(textOf(second?.stderr), /the daemon rejected the result of this command with 413/);
});

test('the agent has another name after a lost answer, and the same one after 204 and 429', async (t) => {
  const same = await exchanged(t, [
    { status: 204, text: '' },
    { status: 429, text: '' },
  ]);
  t.is(new Set(pollsOf(same)).size, 1);
  t.is(pollsOf(same).length, 3);
  const other = await exchanged(t, ['none', { status: 502, text: '' }]);
  t.is(new Set(pollsOf(other)).size, 3);
});

test('the agent of a node that the daemon does not have ends; the microkernel fetches it again', async (t) => {
  const asked = await exchanged(t, [{ status: 404, text: '' }]);
  t.is(asked.filter(({ url }) => url.includes('/tasks/bootstrap.sh?nodeId=n1')).length, 2);
  t.is(new Set(pollsOf(asked)).size, 2);
});

test('the reboot of its command follows the result', async (t) => {
  const command = '(sleep 2; sync; reboot -f || reboot || echo b >/proc/sysrq-trigger) >/dev/null 2>&1 &';
  const twin = offlineTwin({
    answer: ({ method, url }) => {
      if (method === 'POST') return { status: 201, text: '' };
      return url.includes('agent=') ? task(command) : { status: 200, text: '' };
    },
  });
  await t.throwsAsync(runAgent(twin.machine, image, twin.machine.phaseSignal), { message: /the power has changed/ });
  t.like(resultsOf(twin.asked)[0], { exitCode: 0 });
  t.is(twin.machine.state.phase.name, 'post');
  t.deepEqual(twin.ledger, ['reboot: done']);
});

for (const cmdline of [
  'auto=true SYSLOGSERVER=127.0.0.1 API_CB=127.0.0.1:9080 BASEFS=base OVERLAYFS=overlay',
  "console=tty0 rancher.cloud_init.datasources=['url:http://127.0.0.1:9080/api/common/templates/cloud-config.yaml']",
]) {
  test(`RackHD's agent fetches a list of commands, and submits errors: ${cmdline.slice(0, 20)}`, async (t) => {
    const tasks = [
      { cmd: 'hostname' },
      { cmd: 'exit 3', acceptedResponseCodes: [3] },
      { cmd: 'false' },
      { cmd: 'hostname' },
    ];
    const assignment = { status: 200, text: JSON.stringify({ identifier: '02:70', tasks }) };
    const asked = await exchanged(t, [{ status: 404, text: 'none' }, assignment, 'none', { status: 201, text: '' }], {
      kernel: 'vmlinuz',
      cmdline,
    });
    const posts = asked.filter(({ method }) => method === 'POST');
    t.deepEqual(
      posts.map(({ url }) => url),
      [`${api}/tasks/02:70`, `${api}/tasks/02:70`],
    );
    const [first, second, third, last] = resultsOf(posts.slice(1));
    t.like(first, { cmd: 'hostname', stdout: 'microkernel\n', error: null });
    t.like(second, { error: { code: 3 } });
    t.like(third, { error: { code: 1 } });
    t.deepEqual(last, { cmd: 'hostname' }, 'the first failure ends the list');
  });
}

test('a profile of RackHD boots its agent; one without a kernel boots the disk, or is asked for again', (t) => {
  const profile = [
    'kernel http://127.0.0.1:9080/vmlinuz',
    'initrd http://127.0.0.1:9080/initrd.img',
    'imgargs vmlinuz auto=true API_CB=127.0.0.1:9080 BASEFS=base',
    'boot || exit shell',
  ];
  const image = bootOf(profile.join('\n'));
  t.like(image, { cmdline: 'auto=true API_CB=127.0.0.1:9080 BASEFS=base' });
  t.is(typeof image === 'object' && bootKindOf(image), 'rackhd-agent');
  t.is(bootOf('#!ipxe\nexit\n'), 'disk');
  t.is(bootOf('#!ipxe\nsleep 5\nchain --replace http://127.0.0.1/x\n'), 'again');
});

test('the words of a command line say what was booted', (t) => {
  const kinds = {
    'nodewright.api=http://h/api nodewright.node=n': 'agent',
    'API_CB=10.1.1.1:9080': 'rackhd-agent',
    'inst.repo=http://h/os inst.ks=http://h/t': 'installer',
    'url=http://h/ubuntu.iso cloud-config-url=http://h/t autoinstall': 'installer',
    'auto=true url=http://h/preseed': 'installer',
    '-c http://h/boot.cfg': 'installer',
    'console=ttyS0 quiet': 'unknown',
  };
  for (const [cmdline, kind] of Object.entries(kinds))
    t.is(bootKindOf({ kernel: 'k', cmdline }), kind as never, cmdline);
});
