/**
 * The variable `install` of the profiles and templates of an installer: the options of the task, with hashes instead of
 * passwords and with the disk that the installer uses.
 */
import { isIP, isIPv6 } from 'node:net';
import type { Static } from 'typebox';
import { Type } from 'typebox';
import { isNoAddress, isNoUrl } from '../../define/address.ts';
import { PermanentError } from '../../define/index.ts';
import { type DiskNames, type InstallDisk, installDisk } from './install-disk.ts';
import { everyInstaller, linuxInstaller, partitions } from './install-options.ts';
import { sha512Crypt } from './sha512-crypt.ts';

/** The options of all installers; those that only some have are optional. */
const all = Type.Object({
  ...everyInstaller,
  ...Type.Partial(Type.Object({ ...linuxInstaller, ...partitions })).properties,
});

export type InstallOptions = Static<typeof all>;

interface Account {
  name: string;
  /** SHA-512-crypt; null: no password. */
  passwordHash: string | null;
  uid: number | null;
  sshKey: string | null;
}

export interface InstallValues
  extends Omit<InstallOptions, 'users' | 'rootPassword' | 'rootSshKey' | 'installDisk' | 'repo'> {
  repo: string;
  root: Account;
  users: Account[];
  disk: InstallDisk;
  /** Kernel arguments as one text. */
  arguments: string;
}

const account = async (name: string, password?: string, uid?: number, sshKey?: string): Promise<Account> => ({
  name,
  passwordHash: password === undefined ? null : await sha512Crypt(password),
  uid: uid ?? null,
  sshKey: sshKey ?? null,
});

/** @throws PermanentError INSTALL_REJECTED */
export async function installValues(
  options: InstallOptions,
  repo: string,
  catalog: unknown,
  names: DiskNames,
): Promise<InstallValues> {
  const { users, rootPassword, rootSshKey, installDisk: given, repo: _repo, ...rest } = options;
  const wrong = contradictions(options)[0];
  if (wrong !== undefined) throw new PermanentError(`${wrong.path}: ${wrong.message}`, 'INSTALL_REJECTED');
  const accounts = [];
  for (const { name, password, uid, sshKey } of users) accounts.push(await account(name, password, uid, sshKey));
  return {
    ...rest,
    repo: options.repo ?? repo,
    root: await account('root', rootPassword, undefined, rootSshKey),
    users: accounts,
    disk: installDisk(given, catalog, names),
    arguments: Object.entries(options.kargs)
      .map(([name, value]) => (value === '' ? name : `${name}=${value}`))
      .join(' '),
  };
}

/** Returns what the schema cannot check. @returns violations by option */
export function contradictions(options: Partial<InstallOptions>): { path: string; message: string }[] {
  const { users = [], rootPassword, rootSshKey, networkDevices = [], repo = '' } = options;
  const logins = [rootPassword, rootSshKey, ...users.flatMap(({ password, sshKey }) => [password, sshKey])];
  const names = users.map(({ name }) => name);
  const twice = names.findIndex((name, at) => name === 'root' || names.indexOf(name) !== at);
  return [
    ...(logins.every((login) => login === undefined)
      ? [{ path: 'rootPassword', message: 'found none, nor a key; expected rootPassword, rootSshKey, or such a user' }]
      : []),
    ...(twice >= 0
      ? [{ path: `users.${twice}.name`, message: `found ${names[twice]} again; expected another name` }]
      : []),
    ...(isNoUrl(repo)
      ? [{ path: 'repo', message: `found ${repo}; expected a URL, or a path below the file server` }]
      : []),
    ...addressViolations(options),
    ...networkDevices.flatMap(({ ipv4 }, at) =>
      ipv4 !== undefined && prefixOf(ipv4.netmask) === undefined
        ? [{ path: `networkDevices.${at}.ipv4.netmask`, message: `found ${ipv4.netmask}; expected a netmask` }]
        : [],
    ),
  ];
}

/** Finds addresses that their patterns cannot judge. */
function addressViolations({ networkDevices = [], dnsServers = [], ntpServers = [] }: Partial<InstallOptions>) {
  const given: [path: string, address: string | undefined, isFine: (text: string) => boolean][] = [
    ...networkDevices.flatMap(({ ipv6 }, at) =>
      (['ipAddr', 'gateway'] as const).map((key): (typeof given)[number] => [
        `networkDevices.${at}.ipv6.${key}`,
        ipv6?.[key],
        isIPv6,
      ]),
    ),
    ...dnsServers.map((address, at): (typeof given)[number] => [`dnsServers.${at}`, address, (text) => isIP(text) > 0]),
    ...ntpServers.map((host, at): (typeof given)[number] => [`ntpServers.${at}`, host, (text) => !isNoAddress(text)]),
  ];
  return given.flatMap(([path, address, isFine]) =>
    address === undefined || isFine(address) ? [] : [{ path, message: `found ${address}; expected an address` }],
  );
}

/** Returns the number of leading ones; undefined: not a netmask. */
function prefixOf(netmask: string): number | undefined {
  const bytes = netmask.split('.').map(Number);
  if (bytes.length !== 4 || bytes.some((byte) => byte > 255)) return undefined;
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return /^1*0*$/.test(bits) ? bits.lastIndexOf('1') + 1 : undefined;
}
