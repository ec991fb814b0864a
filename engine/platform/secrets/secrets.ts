/** Keys that the daemon generates at its first start and stores in dataDir, readable only by its owner; ciphers of them. */

import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countText } from '../../vocabulary/count-texts.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { codeOf } from '../../vocabulary/thrown-values.ts';
import { syncFolder } from '../lib/sync-folder.ts';
import { type KeyRing, newKey } from './key-ring.ts';

/** Minimum characters: a user may have written the file. */
const MIN_LENGTH = 32;

/** Returns the same keys at every start; generates a missing one. Of two concurrent callers, both get the first. */
export function storedKeys(dataDir: string, name: string): KeyRing {
  const folder = join(dataDir, 'secrets');
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) syncFolder(dataDir);
  const file = join(folder, name);
  const ring = read(file) ?? makeKey(file);
  // Also when another caller has made it: no value that it encrypts may outlive it.
  syncFolder(folder);
  return ring;
}

/** @returns undefined: none was generated yet */
export const foundKeys = (dataDir: string, name: string): KeyRing | undefined => read(join(dataDir, 'secrets', name));

/** @returns the error for keys whose file is missing; undefined: it is there */
export function lostKeys(dataDir: string, name: string): NodewrightError | undefined {
  const file = join(dataDir, 'secrets', name);
  if (existsSync(file)) return undefined;
  const message = `${file} is missing, and the database has secrets that only its key decrypts; restore it from a backup`;
  return new NodewrightError('DATA_DIR_DAMAGED', message);
}

/** Replaces the keys, in one step. */
export function keepKeys(dataDir: string, name: string, ring: KeyRing): void {
  const folder = join(dataDir, 'secrets');
  const draft = join(folder, `${name}.${process.pid}`);
  writeFileSync(draft, `${ring.join('\n')}\n`, { mode: 0o600, flush: true });
  renameSync(draft, join(folder, name));
  syncFolder(folder);
}

/** @throws NodewrightError DATA_DIR_DAMAGED if the file is too short: keys derived from it would be guessable */
function read(file: string): KeyRing | undefined {
  try {
    // One key for each line; the first is in use.
    const [first = '', ...others] = readFileSync(file, 'utf8').trim().split(/\s+/);
    const short = [first, ...others].find((key) => key.length < MIN_LENGTH);
    if (short === undefined) return [first, ...others];
    const message = `${file} holds ${countText(short.length, 'character')}, expected at least ${MIN_LENGTH}; restore it from a backup`;
    throw new NodewrightError('DATA_DIR_DAMAGED', message);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a complete file before linking it to its name: a crash in between leaves no partial secret. */
function makeKey(file: string): KeyRing {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${newKey()}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  return read(file) as KeyRing;
}

/** Encrypts and decrypts plain data. */
export interface Cipher {
  encrypt(value: unknown): string;
  /** @throws if it was encrypted with another secret, or modified */
  decrypt(encrypted: string): unknown;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * @param keys the first encrypts, all decrypt
 * @param purpose separates keys: a value encrypted for one purpose cannot be decrypted for another
 * @param stable equal values give equal ciphertexts: the nonce is derived from the value and the key
 */
export function cipherOf(keys: KeyRing, purpose: string, stable = false): Cipher {
  const ciphers = keys.map((key) => cipherOfKey(key, purpose, stable)) as [Cipher, ...Cipher[]];
  return {
    encrypt: ciphers[0].encrypt,
    decrypt(encrypted) {
      let failure: unknown;
      for (const { decrypt } of ciphers) {
        try {
          return decrypt(encrypted);
        } catch (error) {
          failure = error;
        }
      }
      throw failure;
    },
  };
}

/** Random bytes come in blocks: to ask for each nonce takes as long as to encrypt a short text. */
let block = new Uint8Array();

function randomNonce(): Uint8Array {
  if (block.length < NONCE_BYTES) block = randomBytes(1_024 * NONCE_BYTES);
  const nonce = block.subarray(0, NONCE_BYTES);
  block = block.subarray(NONCE_BYTES);
  return nonce;
}

function cipherOfKey(secret: string, purpose: string, stable: boolean): Cipher {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
  const nonceKey = new Uint8Array(hkdfSync('sha256', secret, '', `${purpose} nonces`, 32));
  const nonceOf = (text: string) =>
    stable ? createHmac('sha256', nonceKey).update(text).digest().subarray(0, NONCE_BYTES) : randomNonce();
  return {
    encrypt(value) {
      const plain = JSON.stringify(value);
      const nonce = nonceOf(plain);
      const cipher = createCipheriv(CIPHER, key, nonce);
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
    },
    decrypt(encrypted) {
      const bytes = Buffer.from(encrypted, 'base64');
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
      return JSON.parse(text.toString('utf8'));
    },
  };
}
