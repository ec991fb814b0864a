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
  readKey,
  rotateKey,
} from '../../../engine/index.ts';
import { CommandError, EXIT } from '../exit-codes.ts';

const names = Object.keys(keyPurposes) as KeyName[];

const log = { info: () => {}, warn: (_: object, message: string) => console.error(message) };

const fingerprint = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 12);

function ringText(name: KeyName, ring: KeyRing | undefined): string {
  if (ring === undefined) return `${name}: not made yet (${keyPurposes[name]})`;
  const [used, ...accepted] = ring;
  const others = accepted.length === 0 ? '' : `, accepts ${accepted.map(fingerprint).join(', ')}`;
  return `${name}: uses ${fingerprint(used)}${others} (${keyPurposes[name]})`;
}

/** @param step undefined: changes nothing @param given names of keys; none: all */
export async function rotate(step?: RotationStep, given: readonly string[] = names): Promise<void> {
  const chosen = names.filter((name) => given.includes(name));
  const unknown = given.find((name) => !names.some((one) => one === name));
  if (unknown !== undefined)
    throw new CommandError(`found no key ${unknown}; expected ${names.join(', ')}`, EXIT.usage);
  const config = readConfig();
  const lines: string[] = [];
  const ringOf = (name: KeyName) =>
    step === undefined ? readKey(config, log, name) : rotateKey(config, log, name, step);
  for (const name of chosen) lines.push(ringText(name, await ringOf(name)));
  console.log(lines.join('\n'));
  if (step !== undefined) console.log('Restart every daemon before the next step.');
}
