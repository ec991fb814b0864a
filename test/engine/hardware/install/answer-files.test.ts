/** Answer files: no value ends the line, the word or the text that it is in, and no password is in them. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import fc from 'fast-check';
import type { InstallOptions, InstallValues } from '../../../../engine/hardware/install/install-values.ts';
import { folder } from '../../../support/ava/folder.ts';
import {
  accepted,
  installers,
  optionsOf,
  profilesOf,
  Renderer,
  type System,
  templatesOf,
  valuesOf,
} from '../../../support/bmcs/installing.ts';

const test = anyTest as TestFn<{ renderer: Renderer }>;
test.before((t) => {
  t.context.renderer = new Renderer();
});
test.after.always((t) => t.context.renderer?.close());

const systems = Object.keys(installers) as System[];

/** Characters with a meaning in one of the files. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...'\'"`$\\;&|<>(){}[]#%=!*?~ \t\n\r\0,:-', '$(reboot)', '\n%end\n', '\nd-i x', '{{ env.x }}'),
      fc.constantFrom(
        '<%= 1 %>',
        "'; reboot; '",
        ['$', '{net0/mac}'].join(''),
        '\u2028',
        'é',
        'a',
        '%post',
        ' --erroronfail',
      ),
    ),
    { minLength: 1, maxLength: 6 },
  )
  // Its ends occur nowhere else.
  .map((parts) => `zq${parts.join('')}qz`);

/** With a short text instead of a hash: hashing is slow by design. */
const hashed = (values: InstallValues): InstallValues => ({
  ...values,
  root: { ...values.root, passwordHash: '$6$s$h' },
});

const safe = 'zqqz';
/** Every option that is a text or holds texts, with this text in it. */
const spots: Record<string, (text: string) => unknown> = {
  hostname: (text) => text,
  domain: (text) => text,
  repo: (text) => `http://10.1.1.1/${text}`,
  rootSshKey: (text) => `ssh-rsa AAAA ${text}`,
  dnsServers: (text) => [text],
  ntpServers: (text) => [text],
  networkDevices: (text) => [{ device: text }],
  installDisk: (text) => `/dev/${text}`,
  kargs: (text) => ({ quiet: text }),
  postInstallCommands: (text) => [`echo ${text}`],
  timezone: (text) => text,
  comport: (text) => `tty${text}`,
  packages: (text) => [text],
  enableServices: (text) => [text],
  installPartitions: (text) => [{ mountPoint: `/${text}`, size: '1' }],
  iso: (text) => text,
  interface: (text) => text,
  baseUrl: (text) => text,
};

/** A file with its value replaced, as a word of a shell, of JSON or of a URL: equal for all values that stay in place. */
const skeleton = (file: string, text: string): string =>
  [text.replaceAll("'", "'\\''"), JSON.stringify(text).slice(1, -1), encodeURIComponent(text)].reduce(
    (made, word) => made.replaceAll(word, 'VALUE'),
    file,
  );

for (const system of systems) {
  test(`${system}: values of any characters are rejected, or change nothing else of a file`, async (t) => {
    const { renderer } = t.context;
    const { rootPassword: _, users: __, ...bare } = accepted[system];
    const base = { ...bare, networkDevices: [], installDisk: '/dev/sda' };
    const files = [...templatesOf[system], profilesOf[system]];
    const known = Object.keys(spots).filter((spot) => spot in installers[system].optionsSchema.properties);
    const render = async (spot: string, text: string) => {
      const options = optionsOf(system, {
        ...base,
        ...(system === 'esxi' && { rootPassword: 'p' }),
        [spot]: spots[spot]?.(text),
      });
      if (options === undefined) return undefined;
      const { rootPassword: _, ...rest } = options;
      const values = hashed(await valuesOf(rest as InstallOptions));
      return Promise.all(files.map((file) => renderer.render(file, values)));
    };
    let rendered = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...known), hostile, async (spot, text) => {
        const made = await render(spot, text);
        if (made === undefined) return;
        rendered += 1;
        const plain = (await render(spot, safe)) as string[];
        for (const [at, file] of made.entries()) {
          const other = plain[at] as string;
          t.is(
            file.split('\n').length,
            other.split('\n').length,
            `${spot} ${JSON.stringify(text)} adds lines to ${files[at]}`,
          );
          t.is(skeleton(file, text), skeleton(other, safe), `${spot} ${JSON.stringify(text)} in ${files[at]}`);
        }
      }),
      { numRuns: 150, examples: [['repo', 'zq#:aqz']] },
    );
    t.true(rendered > 0, 'some are accepted');
  });

  test(`${system}: the files have hashes instead of passwords`, async (t) => {
    const { renderer } = t.context;
    const options = optionsOf(system, accepted[system]) as InstallOptions;
    const values = await valuesOf(options);
    const files = await Promise.all(
      [...templatesOf[system], profilesOf[system]].map((file) => renderer.render(file, values)),
    );
    const text = files.join('\n');
    t.notRegex(text, /pa55/);
    t.true(text.includes(values.root.passwordHash as string));
    t.regex(text, /nonce=nwcb\.w\.2\.1\.installed/);
    t.regex(text, /nonce=nwcb\.w\.4\.1\.booted/);
  });
}

test('the answers for Ubuntu are JSON, so YAML, with the values unchanged', async (t) => {
  const { renderer } = t.context;
  const options = optionsOf('ubuntu', accepted.ubuntu) as InstallOptions;
  const text = await renderer.render('templates/ubuntu-autoinstall', await valuesOf(options));
  const [first, ...rest] = text.split('\n');
  t.is(first, '#cloud-config');
  const { autoinstall } = JSON.parse(rest.join('\n'));
  t.deepEqual(autoinstall.storage.layout.match, { path: '/dev/sdb' });
  t.deepEqual(autoinstall.network.ethernets.eno1.addresses, ['10.1.1.9/24', 'fd00::9/64']);
});

const render = async (renderer: Renderer, system: System, template: string, given: object = {}) =>
  renderer.render(template, await valuesOf(optionsOf(system, { ...accepted[system], ...given }) as InstallOptions));

/** Runs the report of ESXi's first boot. @param calls of wget that fail @returns what was called, in order */
async function firstBoot(t: ExecutionContext<{ renderer: Renderer }>, calls: number, isEnabled: boolean) {
  const script = await render(t.context.renderer, 'esxi', 'templates/esx-ks');
  const bin = folder(t);
  const tools = {
    esxcli: `echo "$*" >>'${bin}/log'; [ "$3" = set ] || echo '   Enabled: ${isEnabled}'`,
    wget: `echo wget >>'${bin}/log'; [ "$(grep -c wget '${bin}/log')" -gt ${calls} ]`,
    sleep: ':',
  };
  for (const [tool, lines] of Object.entries(tools))
    writeFileSync(join(bin, tool), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  const env = { PATH: `${bin}:${process.env.PATH ?? ''}` };
  execFileSync('sh', ['-ec', script.slice(script.indexOf('enabled=$('))], { env });
  return readFileSync(join(bin, 'log'), 'utf8').trim().split('\n');
}

test('ESXi opens its firewall for the report of its first boot, and sets it as it was; it gives up in the end', async (t) => {
  const [get, open] = ['network firewall get', 'network firewall set --enabled=false'];
  const set = (value: boolean) => `network firewall set --enabled=${value}`;
  t.deepEqual(await firstBoot(t, 2, true), [get, open, 'wget', 'wget', 'wget', set(true)]);
  t.deepEqual(await firstBoot(t, 0, false), [get, open, 'wget', set(false)]);
  const last = await firstBoot(t, 10_000, true);
  t.deepEqual([last.length, last.at(-1)], [724, set(true)]);
});

test('the installer of Debian asks no server of updates beside a mirror that is not of Debian', async (t) => {
  const asked = async (repo: string) =>
    /services-select multiselect$/m.test(
      await render(t.context.renderer, 'debian', 'templates/debian-preseed', { repo }),
    );
  t.true(await asked('http://10.1.1.1/debian'));
  t.true(await asked('http://debian.org.example/debian'));
  t.false(await asked('http://deb.debian.org/debian'));
});

test('the installer of Debian asks for no password where root has only a key', async (t) => {
  const given = { rootPassword: undefined };
  const text = await render(t.context.renderer, 'debian', 'templates/debian-preseed', given);
  t.regex(text, /^d-i passwd\/root-password-crypted password \*$/m);
});

test('the partitions of Debian are as large as the options say, which are in MiB and its answers in MB', async (t) => {
  const text = await render(t.context.renderer, 'debian', 'templates/debian-preseed');
  t.regex(text, /\. 1074 1074 1074 ext4 .* mountpoint\{ \/boot \}.*\. 2148 2148 2148 linux-swap /);
});

for (const [what, given, path] of [
  ['no way to log in', { rootPassword: undefined, rootSshKey: undefined, users: [] }, /^rootPassword: found none/],
  ['a user twice', { users: [{ name: 'a', password: 'p' }, { name: 'a' }] }, /^users\.1\.name: found a again/],
  ['root as a user', { users: [{ name: 'root', password: 'p' }] }, /^users\.0\.name/],
  [
    'a netmask with a hole',
    { networkDevices: [{ device: 'e', ipv4: { ipAddr: '10.0.0.1', netmask: '255.0.255.0' } }] },
    /^networkDevices\.0\.ipv4\.netmask: found 255\.0\.255\.0/,
  ],
] as const) {
  test(`options with ${what} are rejected`, async (t) => {
    const options = optionsOf('centos', { ...accepted.centos, ...given }) as InstallOptions;
    await t.throwsAsync(valuesOf(options), { code: 'INSTALL_REJECTED', message: path });
  });
}
