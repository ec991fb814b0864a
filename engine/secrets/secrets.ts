/** Secrets that the daemon generates at its first start and stores in dataDir, readable only by its owner. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NodewrightError } from '../define/errors.ts';
import { codeOf } from '../define/thrown.ts';
import { syncFolder } from '../lib/sync-folder.ts';

const BYTES = 32;
/** Minimum characters: a user may have written the file. */
const MIN_LENGTH = 32;

/** Returns the same secret at every start; generates a missing one. Of two concurrent callers, both get the first. */
export function keptSecret(dataDir: string, name: string): string {
  const folder = join(dataDir, 'secrets');
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) syncFolder(dataDir);
  const file = join(folder, name);
  const secret = read(file) ?? made(file);
  // Also when another caller has made it: no value that it encrypts may outlive it.
  syncFolder(folder);
  return secret;
}

/** @throws NodewrightError DATA_DIR_DAMAGED if the file is too short: keys derived from it would be guessable */
function read(file: string): string | undefined {
  try {
    const secret = readFileSync(file, 'utf8').trim();
    if (secret.length >= MIN_LENGTH) return secret;
    const message = `${file} holds ${secret.length} characters, expected at least ${MIN_LENGTH}; restore it from a backup`;
    throw new NodewrightError('DATA_DIR_DAMAGED', message);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a complete file before linking it to its name: a crash in between leaves no partial secret. */
function made(file: string): string {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(BYTES).toString('base64url')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  return readFileSync(file, 'utf8').trim();
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
 * @param purpose separates keys: a value encrypted for one purpose cannot be decrypted for another
 * @param stable equal values give equal ciphertexts: the nonce is derived from the value and the key
 */
export function cipherOf(secret: string, purpose: string, stable = false): Cipher {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
  const nonceKey = new Uint8Array(hkdfSync('sha256', secret, '', `${purpose} nonces`, 32));
  const nonceOf = (text: string) =>
    stable ? createHmac('sha256', nonceKey).update(text).digest().subarray(0, NONCE_BYTES) : randomBytes(NONCE_BYTES);
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
