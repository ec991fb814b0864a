/** Answer files as each system's own validator judges them, also with values of unusual characters. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { InstallOptions } from '../../engine/hardware/install/install-values.ts';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import { accepted, optionsOf, Renderer, type System, valuesOf } from '../support/bmcs/installing.ts';
import { checker, run } from '../support/source/deployment.ts';

const renderer = new Renderer();
test.after.always(() => renderer.close());

const tool = (name: string, server?: string) =>
  needing(checker(name) === undefined ? `${name} is not installed` : undefined, server).serial;

/** Files of an installer with few options, with most, and with values of unusual characters. */
async function filesOf(t: ExecutionContext, system: System, template: string): Promise<string[]> {
  const few = { version: '9', rootSshKey: 'ssh-rsa AAAA', installDisk: '/dev/disk/by-id/wwn-0x5000' };
  const device = { device: 'eno1', ipv4: { ipAddr: '10.0.0.2', netmask: '255.255.0.0', vlanIds: [7] } };
  const unusual = {
    ...accepted[system],
    networkDevices: [device, { device: 'eno2', ipv6: { ipAddr: 'fd00::2', prefixlen: 64 } }],
    rootSshKey: 'ssh-rsa AAAA $(reboot) "`%end`\\',
    postInstallCommands: ['%end \'; $HOME "`\\ #'],
    packages: ['@^minimal-environment', '@Development Tools', '-postfix', 'a*'],
  };
  const home = folder(t);
  const paths = [few, accepted[system], unusual].map(async (given, at) => {
    const options = optionsOf(system, given) as InstallOptions;
    const path = join(home, `${system}-${at}`);
    writeFileSync(path, await renderer.render(`templates/${template}`, await valuesOf(options)));
    return path;
  });
  return Promise.all(paths);
}

tool('ksvalidator', 'checkers')('ksvalidator accepts the answers for RHEL 7, 8 and 9, and nothing else', async (t) => {
  const program = checker('ksvalidator') ?? '';
  const files = await filesOf(t, 'centos', 'centos-ks');
  for (const version of ['RHEL7', 'RHEL8', 'RHEL9']) t.notThrows(() => run(program, '-v', version, ...files), version);
  const wrong = join(folder(t), 'wrong');
  writeFileSync(wrong, 'text\nno such command\n');
  t.throws(() => run(program, '-v', 'RHEL9', wrong));
});

tool('cloud-init')('cloud-init accepts the answers for Ubuntu', async (t) => {
  for (const file of await filesOf(t, 'ubuntu', 'ubuntu-autoinstall')) {
    t.regex(run('cloud-init', 'schema', '--config-file', file), /Valid/);
  }
});

tool('debconf-set-selections')('debconf accepts the answers for Debian', async (t) => {
  for (const file of await filesOf(t, 'debian', 'debian-preseed')) {
    t.notThrows(() => run('debconf-set-selections', '--checkonly', file));
  }
});

tool('shellcheck')('shellcheck finds nothing in the script that runs in the new system', async (t) => {
  // Its notes are about texts that look like code in single quotes, where they are on purpose.
  const files = await filesOf(t, 'debian', 'linux-post-install');
  t.notThrows(() => run('shellcheck', '-s', 'sh', '-S', 'warning', ...files));
});
