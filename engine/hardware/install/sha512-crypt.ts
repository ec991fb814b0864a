/**
 * Hashes passwords as `/etc/shadow` has them: SHA-512-crypt, `$6$<salt>$<hash>`, which each installer accepts. Node.js has no
 * `crypt(3)`. After the specification of Ulrich Drepper, with its usual 5,000 rounds.
 */
import { createHash, randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

const ROUNDS = 5_000;
/** Rounds between two turns of other work. */
const SLICE = 500;
const BLOCK = 64;
const SALT = 16;
const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const sha512 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha512');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** Repeats bytes up to a length. */
const stretch = (bytes: Buffer, length: number): Buffer => Buffer.alloc(length, bytes);

/** Returns a salt of 96 random bits. */
export const randomSalt = (): string =>
  Array.from(randomBytes(SALT), (byte) => ALPHABET[byte % ALPHABET.length]).join('');

export async function sha512Crypt(password: string, salt = randomSalt()): Promise<string> {
  const key = Buffer.from(password, 'utf8');
  const salted = Buffer.from(salt.slice(0, SALT), 'utf8');
  const alternate = sha512(key, salted, key);
  const parts = [key, salted, stretch(alternate, key.length)];
  for (let bits = key.length; bits > 0; bits >>= 1) parts.push((bits & 1) === 1 ? alternate : key);
  let digest = sha512(...parts);
  const keys = stretch(sha512(...Array.from({ length: key.length }, () => key)), key.length);
  const count = 16 + (digest[0] ?? 0);
  const salts = stretch(sha512(...Array.from({ length: count }, () => salted)), salted.length);
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round % SLICE === 0) await setImmediate();
    const odd = round % 2 === 1;
    const middle = [...(round % 3 === 0 ? [] : [salts]), ...(round % 7 === 0 ? [] : [keys])];
    digest = sha512(odd ? keys : digest, ...middle, odd ? digest : keys);
  }
  return `$6$${salted.toString('utf8')}$${encodedDigest(digest)}`;
}

/** The bytes in the order of the specification, six bits for each character. */
function encodedDigest(digest: Buffer): string {
  let text = '';
  let [one, two, three] = [0, 21, 42];
  const add = (bits: number, length: number) => {
    for (let at = 0; at < length; at += 1) text += ALPHABET[(bits >> (6 * at)) & 63];
  };
  for (let turn = 0; turn < 21; turn += 1) {
    add(((digest[one] ?? 0) << 16) | ((digest[two] ?? 0) << 8) | (digest[three] ?? 0), 4);
    [one, two, three] = [two + 1, three + 1, one + 1];
  }
  add(digest[BLOCK - 1] ?? 0, 2);
  return text;
}
