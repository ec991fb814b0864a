/** Passwords for accounts of BMCs. */
import { randomInt } from 'node:crypto';

/** Without look-alikes, and without characters that shells and BMCs treat in a special way. */
const kinds = ['ABCDEFGHJKLMNPQRSTUVWXYZ', 'abcdefghijkmnopqrstuvwxyz', '23456789'] as const;
const CHARACTERS = kinds.join('');

/** @param length at least 4 @returns a password with letters of both cases and digits, which many BMCs demand */
export function randomPassword(length: number): string {
  for (;;) {
    const password = Array.from({ length }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('');
    if (kinds.every((kind) => [...kind].some((each) => password.includes(each)))) return password;
  }
}
