/** Installers of a twin's machines with rendered answer files: a twin that is killed after any of its saves continues. */
import test, { type ExecutionContext } from 'ava';
import { runDisk } from '../../../../engine/hardware/twin/installing/run-disk.ts';
import { runInstaller } from '../../../../engine/hardware/twin/installing/run-installer.ts';
import type { MachineState } from '../../../../engine/hardware/twin/machine/machine-state.ts';
import type { SouthAnswer, SouthRequest } from '../../../../engine/hardware/twin/machine/twin-machine.ts';
import { accepted, optionsOf, Renderer, type System, valuesOf } from '../../../support/bmcs/installing.ts';
import { type OfflineTwin, offlineTwin } from '../../../support/twin/offline-twin.ts';

/** The timers of a twin do not keep its process alive. */
const heartbeat = setInterval(() => {}, 1_000);
const renderer = new Renderer();
test.after.always(async () => {
  clearInterval(heartbeat);
  await renderer.close();
});

const answersOf: Record<System, string> = {
  centos: 'centos-ks',
  debian: 'debian-preseed',
  ubuntu: 'ubuntu-autoinstall',
  esxi: 'esx-ks',
};
const base = 'http://10.1.1.1:9080/api/current/templates';

/** The files of an installation, by the names of their templates. */
async function filesOf(system: System): Promise<Map<string, string>> {
  const options = optionsOf(system, { ...accepted[system], installDisk: undefined } as never);
  if (options === undefined) throw new Error('the options are rejected');
  const install = await valuesOf(options);
  const names = [answersOf[system], system === 'esxi' ? 'esx-boot-cfg' : 'linux-post-install'];
  const files = new Map<string, string>();
  for (const name of names) files.set(name, await renderer.render(`templates/${name}`, install));
  return files;
}

const serve =
  (files: ReadonlyMap<string, string>, lacks = '') =>
  ({ url }: SouthRequest): SouthAnswer => {
    const name = /\/templates\/([\w-]+)/.exec(url)?.[1] ?? '';
    if (name !== '' && name === lacks) return { status: 404, text: '' };
    return { status: 200, text: name === '' ? '' : (files.get(name) ?? '') };
  };

const cmdlines: Record<System, string> = {
  centos: `inst.ks=${base}/centos-ks?nodeId=n1&key=k`,
  debian: `auto=true url=${base}/debian-preseed?nodeId=n1`,
  ubuntu: `url=http://10.1.1.1/u.iso cloud-config-url=${base}/ubuntu-autoinstall?nodeId=n1 autoinstall`,
  esxi: `-c ${base}/esx-boot-cfg?nodeId=n1`,
};

function installing({ machine }: OfflineTwin, system: System): void {
  machine.state.phase = { name: 'installing', image: { kernel: 'k', cmdline: cmdlines[system] }, until: 0, step: 0 };
}

const cmdlineOf = ({ phase }: MachineState): string => (phase.name === 'installing' ? phase.image.cmdline : '');

/** Runs the installer to the restart of its machine, then the first boot to its last callback. */
async function run({ machine }: OfflineTwin): Promise<void> {
  if (machine.state.phase.name === 'installing') {
    const image = { kernel: 'k', cmdline: cmdlineOf(machine.state) };
    await runInstaller(machine, image, machine.phaseSignal).catch(() => {}); // the restart
  }
  const ending = new AbortController();
  const isCalled = () => machine.state.drives.every(({ system }) => (system?.callbacks ?? []).length === 0);
  const look = setInterval(() => isCalled() && ending.abort(new Error('the test ends')), 20);
  await runDisk(machine, ending.signal).catch(() => {}); // the end of the test
  clearInterval(look);
}

const callbacksOf = ({ asked }: OfflineTwin) =>
  asked.map(({ url }) => url).filter((url) => url.includes('/notification/callback?'));

for (const [system, name] of Object.entries({ centos: 'rhel', debian: 'debian', ubuntu: 'ubuntu', esxi: 'esxi' }) as [
  System,
  string,
][]) {
  test(`${system}: a twin that is killed after any save installs once, and calls each callback`, async (t) => {
    const files = await filesOf(system);
    const saves: [state: string, lines: number][] = [];
    const whole: OfflineTwin = offlineTwin({
      answer: serve(files),
      // The line of a save is added after it.
      saved: (state) => saves.push([state, whole.ledger.length]),
    });
    installing(whole, system);
    // Without a catalog of drives the daemon names the first one of Linux; ESXi takes the first one that it has.
    const drive = system === 'esxi' ? 'nvme0n1' : 'sda';
    await run(whole);
    t.deepEqual(whole.ledger, [`${drive} ${name}: begun`, `${drive} ${name}: done`, 'reboot: done']);
    t.is(callbacksOf(whole).length, 2);
    t.regex(callbacksOf(whole)[0] ?? '', /installed$/);
    t.regex(callbacksOf(whole)[1] ?? '', /booted$/);
    const drives = JSON.stringify(whole.machine.state.drives.map(({ system: installed }) => installed?.name));
    t.true(saves.length >= 4);
    for (const [state] of saves) {
      const next = offlineTwin({ answer: serve(files), state: JSON.parse(state) });
      await run(next);
      t.is(JSON.stringify(next.machine.state.drives.map(({ system: installed }) => installed?.name)), drives);
      const ends = next.ledger.filter((line) => line.endsWith('done'));
      t.true(ends.length <= 2);
    }
  });
}

/** Runs an installer until it has failed and only waits. */
async function untilItWaits(t: ExecutionContext, twin: ReturnType<typeof offlineTwin>, cmdline: string): Promise<void> {
  const ending = new AbortController();
  const running = runInstaller(twin.machine, { kernel: 'k', cmdline }, ending.signal);
  const look = setInterval(() => {
    const { phase } = twin.machine.state;
    if (phase.name === 'installing' && phase.step === 4) ending.abort(new Error('the test ends'));
  }, 20);
  await t.throwsAsync(running, { message: 'the test ends' });
  clearInterval(look);
}

test('a script that the installer cannot fetch is a failure, and nothing boots', async (t) => {
  const files = await filesOf('centos');
  const twin = offlineTwin({ answer: serve(files, 'linux-post-install') });
  installing(twin, 'centos');
  await untilItWaits(t, twin, cmdlines.centos);
  t.regex(callbacksOf(twin)[0] ?? '', /installed&status=failed$/);
  t.true(twin.machine.state.drives.every(({ system }) => system === undefined));
});

test('a file of no installer leaves the machine as it is', async (t) => {
  const twin = offlineTwin({ answer: () => ({ status: 200, text: 'hello' }) });
  installing(twin, 'debian');
  const before = JSON.stringify(twin.machine.state.drives);
  await untilItWaits(t, twin, cmdlines.debian);
  t.is(JSON.stringify(twin.machine.state.drives), before);
  t.regex(twin.problems.join(), /of no installer that a twin knows/);
});
