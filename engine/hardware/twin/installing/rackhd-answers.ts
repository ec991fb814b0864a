/** Plans of the installers of further systems, from the files that RackHD's templates make for them. */
import type { InstallPlan } from '../machine/machine-state.ts';

interface RackhdInstaller {
  system: string;
  matches: RegExp;
  disk?: RegExp;
  hostname: RegExp;
  /** The part whose callback is called before the restart. */
  installs: RegExp;
  /** The part whose callbacks the installed system calls. */
  boots?: RegExp;
  /** The URL of a file whose callbacks the installed system calls. */
  postScript?: RegExp;
}

const installers: readonly RackhdInstaller[] = [
  {
    system: 'photon',
    matches: /^\s*\{[\s\S]*"postinstall":/,
    disk: /"disk": "([^"]+)"/,
    hostname: /"hostname": "([^"]+)"/,
    installs: /"postinstall":[\s\S]*$/,
    postScript: /curl (\S+\.rackhdcallback\?\S+) > \/etc\//,
  },
  {
    system: 'suse',
    matches: /xmlns="http:\/\/www\.suse\.com\/1\.0\/yast2ns"/,
    disk: /<device>([^<]+)<\/device>\s*<use>all/,
    hostname: /<hostname>([^<]+)</,
    installs: /<chroot-scripts[\s\S]*<\/chroot-scripts>/,
    boots: /<post-scripts[\s\S]*<\/post-scripts>/,
  },
  {
    system: 'coreos',
    matches: /^\s*sudo coreos-install -d /m,
    disk: /coreos-install -d (\S+)/,
    hostname: /hostname=(\S+)/,
    installs: /[\s\S]*/,
  },
  {
    // Its answers, then the script that begins its setup.
    system: 'windows',
    matches: /xmlns="urn:schemas-microsoft-com:unattend"/,
    hostname: /<ComputerName>([^<]+)</,
    installs: /setup\.exe[\s\S]*$/,
    postScript: /curl (\S+post-windows-install\.ps1\?[^\s"]+)/,
  },
];

interface RackhdPlan {
  system: string;
  hostname: string;
  /** As the file names it; undefined: the first one. */
  disk: string | undefined;
  firstBoot: string[];
  steps: Pick<InstallPlan, 'postScript' | 'succeeded' | 'failed'>;
}

/** @param callbacksIn the callbacks in a text @returns undefined for a file of another kind */
export function rackhdPlan(
  answers: string,
  callbacksIn: (text: string) => string[],
  isFailure: (url: string) => boolean,
): RackhdPlan | undefined {
  const installer = installers.find(({ matches }) => matches.test(answers));
  if (installer === undefined) return undefined;
  const part = (pattern: RegExp | undefined) => callbacksIn(pattern?.exec(answers)?.[0] ?? '');
  const postScript = installer.postScript?.exec(answers)?.[1];
  const succeeded = part(installer.installs).find((url) => !isFailure(url));
  const failed = part(installer.installs).find(isFailure);
  return {
    system: installer.system,
    hostname: installer.hostname.exec(answers)?.[1] ?? 'localhost',
    disk: installer.disk?.exec(answers)?.[1],
    firstBoot: part(installer.boots),
    steps: {
      ...(postScript !== undefined && { postScript }),
      ...(succeeded !== undefined && { succeeded }),
      ...(failed !== undefined && { failed }),
    },
  };
}
