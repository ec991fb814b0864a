/**
 * Reads what an installer does from its answer file: the disk, the callbacks, the script that it runs in the new system. The
 * files are those of kickstart (Anaconda and ESXi), of debian-installer's preseed, of Ubuntu's autoinstall, and of RackHD's templates
 * for other systems.
 */
import { driveNamed, drivesOfMachine } from '../commands/drive-facts.ts';
import type { InstallPlan } from '../machine/machine-state.ts';
import type { Machine } from '../machine/twin-machine.ts';
import { rackhdPlan } from './rackhd-answers.ts';

type InstallerKind = 'rhel' | 'debian' | 'ubuntu' | 'esxi';

const URLS = /https?:\/\/[^\s'"\\<>)]+/g;
const CALLBACK = /\/notification(?:\/callback)?\?/;
const FAILURE = /[?&]status=fail(?:ed)?\b/;

/** Returns undefined for a file of another kind. */
function installerOf(answers: string): InstallerKind | undefined {
  if (/^\s*vmaccepteula\b/m.test(answers)) return 'esxi';
  if (/^\s*(?:#cloud-config|autoinstall:)/m.test(answers)) return 'ubuntu';
  if (/^\s*d-i\s/m.test(answers)) return 'debian';
  return /^\s*(?:%packages|rootpw|clearpart|autopart|part)\b/m.test(answers) ? 'rhel' : undefined;
}

/** @throws Error if it is of no known installer */
export function installPlan(machine: Machine, answers: string): InstallPlan {
  const rackhd = rackhdPlan(answers, callbacksIn, (url) => FAILURE.test(url));
  if (rackhd !== undefined) {
    const { disk, steps, ...plan } = rackhd;
    return { ...plan, ...steps, drive: driveWithName(machine, disk) };
  }
  const system = installerOf(answers);
  if (system === undefined) throw new Error('the answer file is of no installer that a twin knows');
  const callbacks = callbacksIn(answers);
  const isFirstBoot = (url: string) => sectionOf(answers, url) === 'firstboot';
  const succeeded = callbacks.find((url) => !FAILURE.test(url) && !isFirstBoot(url));
  const failed = callbacks.find((url) => FAILURE.test(url));
  const postScript = postScriptIn(answers, callbacks);
  return {
    system,
    hostname: hostnameIn(answers),
    drive: driveOfAnswers(machine, system, answers),
    firstBoot: callbacks.filter(isFirstBoot),
    ...(postScript !== undefined && { postScript }),
    ...(succeeded !== undefined && { succeeded }),
    ...(failed !== undefined && { failed }),
  };
}

/** The callbacks in a text, each once. */
export const callbacksIn = (text: string): string[] => [
  ...new Set([...text.matchAll(URLS)].map(([url]) => url).filter((url) => CALLBACK.test(url))),
];

/** The section of a kickstart in which the text occurs first; '' outside of sections. */
function sectionOf(answers: string, text: string): string {
  const before = answers.slice(0, answers.indexOf(text));
  return [...before.matchAll(/^%(\w+)/gm)].at(-1)?.[1] ?? '';
}

/** The URL that is fetched to a file of the new system. */
const postScriptIn = (answers: string, callbacks: readonly string[]): string | undefined =>
  [...answers.matchAll(/(?:-o|-O)\s+(?:\/target)?\/root\/\S+\s+'(https?:[^']+)'/g)]
    .map(([, url = '']) => url)
    .find((url) => !callbacks.includes(url));

const HOSTNAMES = [
  /--hostname=(\S+)/,
  /netcfg\/get_hostname string (\S+)/,
  /"hostname":\s*"([^"]+)"/,
  /^\s*hostname:\s*(\S+)/m,
];

const hostnameIn = (answers: string): string =>
  HOSTNAMES.map((pattern) => pattern.exec(answers)?.[1]).find((name) => name !== undefined) ?? 'localhost';

/** The words that name the disk; without a name an installer takes the first one. */
const DISKS: Readonly<Record<InstallerKind, readonly RegExp[]>> = {
  rhel: [/--only-use=(\S+)/, /--drives=(\S+)/, /--boot-drive=(\S+)/, /--ondisk=(\S+)/],
  debian: [/readlink -f '([^']+)'/, /partman-auto\/disk string (\S+)/],
  ubuntu: [/"match":\s*\{\s*"path":\s*"([^"]+)"/, /path:\s*(\/dev\/\S+)/],
  esxi: [/install\s.*--disk=(\S+)/],
};

function driveOfAnswers(machine: Machine, system: InstallerKind, answers: string): string | null {
  const named = DISKS[system].map((pattern) => pattern.exec(answers)?.[1]).find((name) => name !== undefined);
  return driveWithName(machine, named);
}

/** @param name undefined: the first drive @returns null: the machine lacks it */
function driveWithName(machine: Machine, name: string | undefined): string | null {
  const drive =
    name === undefined
      ? drivesOfMachine(machine)[0]
      : (driveNamed(machine, name) ?? driveNamed(machine, `/dev/${name}`));
  return drive?.name ?? null;
}
