/**
 * The data of the first boot: a cloud-init NoCloud seed, which the job writes to a partition CIDATA. All files are JSON,
 * which is YAML. A system without cloud-init finds the callback in `meta-data`.
 */
import { shellQuoted } from '../../vocabulary/shell-quoted.ts';
import type { InstallOptions } from './install-values.ts';
import { sha512Crypt } from './sha512-crypt.ts';

export interface FirstBootOptions
  extends Pick<InstallOptions, 'hostname' | 'domain' | 'rootPassword' | 'rootSshKey' | 'users' | 'timezone'> {
  postInstallCommands: string[];
  /** The URL that the installed system calls. */
  callback: string;
}

const keys = (key: string | undefined) => (key === undefined ? {} : { ssh_authorized_keys: [key] });

/** The hash has a name by which it is encrypted wherever it is stored. */
const login = async (password: string | undefined) =>
  password === undefined ? { lock_passwd: true } : { hashed_passwd: await sha512Crypt(password), lock_passwd: false };

/** Returns the files of the seed by name. @param instance a name that another installation does not have */
export async function firstBootFiles(instance: string, options: FirstBootOptions): Promise<Record<string, string>> {
  const { hostname, domain, rootPassword, rootSshKey, users, timezone, postInstallCommands, callback } = options;
  const rootUsers = [
    { name: 'root', ...keys(rootSshKey), ...(rootPassword !== undefined && (await login(rootPassword))) },
  ];
  const others = [];
  for (const { name, password, uid, sshKey } of users) {
    others.push({
      name,
      ...(uid !== undefined && { uid }),
      shell: '/bin/bash',
      ...keys(sshKey),
      ...(await login(password)),
    });
  }
  const call = `until curl -sf -m 30 -o /dev/null ${shellQuoted(callback)} || wget -q -T 30 -O /dev/null ${shellQuoted(callback)}; do sleep 5; done`;
  const userData = {
    hostname,
    ...(domain !== undefined && { fqdn: `${hostname}.${domain}` }),
    ...(timezone !== undefined && { timezone }),
    disable_root: false,
    users: [...rootUsers, ...others],
    runcmd: [...postInstallCommands.map((command) => ['sh', '-c', command]), ['sh', '-c', call]],
  };
  const metaData = { 'instance-id': instance, 'local-hostname': hostname, 'nodewright-callback': callback };
  return { 'user-data': `#cloud-config\n${JSON.stringify(userData)}`, 'meta-data': JSON.stringify(metaData) };
}
