/**
 * `nodewright keys`: lists and replaces the keys that the daemon made. Keys are shown by the beginning of their SHA-256,
 * which does not disclose them.
 */
import { createHash } from 'node:crypto';
import {
  type KeyName,
  type KeyRing,
  keyPurposes,
  type RotationStep,
  readConfig,
  rotateKey,
  rotationSteps,
} from '../../engine/index.ts';
import { type CommandTopic, exitCodeOf } from './topic.ts';

const names = Object.keys(keyPurposes) as KeyName[];

const log = { info: () => {}, warn: (_: object, message: string) => console.error(message) };

const fingerprint = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 12);

function shown(name: KeyName, [used, ...accepted]: KeyRing): string {
  const others = accepted.length === 0 ? '' : `, accepts ${accepted.map(fingerprint).join(', ')}`;
  return `${name}: uses ${fingerprint(used)}${others} (${keyPurposes[name]})`;
}

/** @param step undefined: changes nothing */
async function rotate(chosen: readonly KeyName[], step?: RotationStep): Promise<void> {
  const config = readConfig();
  const lines: string[] = [];
  for (const name of chosen) lines.push(shown(name, await rotateKey(config, log, name, step)));
  console.log(lines.join('\n'));
  if (step !== undefined) console.log('Restart every daemon before the next step.');
}

/** @returns undefined: wrong arguments */
function performed([step = '', ...given]: readonly string[]): Promise<void> | undefined {
  if (step === 'list' && given.length === 0) return rotate(names);
  const chosen = names.filter((name) => given.includes(name));
  if (!Object.hasOwn(rotationSteps, step) || chosen.length === 0 || chosen.length < given.length) return undefined;
  return rotate(chosen, step as RotationStep);
}

/** Exit codes: 0 done, 1 rejected. */
export const keysCommand: CommandTopic = {
  usage: ['keys list', `keys ${Object.keys(rotationSteps).join('|')} ${names.join('|')} ...`],
  run: (args) => exitCodeOf(performed(args)),
};
