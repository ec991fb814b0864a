/**
 * Lists and replaces the keys that the daemon made: `npm run keys -- add auth-token`. It reads the configuration of the
 * daemon. Exit codes: 0 done, 1 rejected, 2 wrong arguments or an invalid configuration.
 *
 * Keys are shown by the beginning of their SHA-256, which does not disclose them.
 */
import { createHash } from 'node:crypto';
import { NodewrightError } from '../engine/define/errors.ts';
import {
  type Config,
  type KeyName,
  type KeyRing,
  keyPurposes,
  type RotationStep,
  readConfig,
  rotateKey,
  rotationSteps,
} from '../engine/index.ts';

const USAGE = `usage: npm run keys -- list
       npm run keys -- ${Object.keys(rotationSteps).join('|')} ${Object.keys(keyPurposes).join('|')} ...`;

const names = Object.keys(keyPurposes) as KeyName[];

const fingerprint = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 12);

function shown(name: KeyName, [used, ...accepted]: KeyRing): string {
  const others = accepted.length === 0 ? '' : `, accepts ${accepted.map(fingerprint).join(', ')}`;
  return `${name}: uses ${fingerprint(used)}${others} (${keyPurposes[name]})`;
}

/** @returns the lines to print; none for wrong arguments */
async function perform(config: Config, [step, ...given]: readonly string[]): Promise<string[]> {
  const log = { info: () => {}, warn: (_: object, message: string) => console.error(message) };
  const chosen = names.filter((name) => given.includes(name));
  const all = async (picked: readonly KeyName[], wanted?: RotationStep) => {
    const lines: string[] = [];
    for (const name of picked) lines.push(shown(name, await rotateKey(config, log, name, wanted)));
    return lines;
  };
  if (step === 'list' && given.length === 0) return all(names);
  if (step === undefined || !(step in rotationSteps) || chosen.length === 0 || chosen.length < given.length) return [];
  return [...(await all(chosen, step as RotationStep)), 'Restart every daemon before the next step.'];
}

async function main(args: readonly string[]): Promise<number> {
  try {
    const lines = await perform(readConfig(), args);
    console.log(lines.length === 0 ? USAGE : lines.join('\n'));
    return lines.length === 0 ? 2 : 0;
  } catch (error) {
    if (!(error instanceof NodewrightError)) throw error;
    console.error(`nodewright: ${error.message}`);
    return error.code === 'CONFIG_INVALID' ? 2 : 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
