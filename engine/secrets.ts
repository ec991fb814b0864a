/** Secrets that the daemon makes for itself at its first start, and keeps in dataDir, readable by its owner alone. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NodewrightError } from './define/errors.ts';

const BYTES = 32;
/** A user may have put a secret there. */
const MIN_LENGTH = 32;

/** The same on every start; made when it is not there. Of two that make it at once, both get the one that was first. */
export function keptSecret(dataDir: string, name: string): string {
  const folder = join(dataDir, 'secrets');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, name);
  return read(file) ?? made(file);
}

/** @throws NodewrightError DATA_DIR_DAMAGED for one without a secret: a key that anybody knows would be made of it */
function read(file: string): string | undefined {
  try {
    const secret = readFileSync(file, 'utf8').trim();
    if (secret.length >= MIN_LENGTH) return secret;
    const message = `${file} holds ${secret.length} characters, expected ${MIN_LENGTH} at least; restore it from a backup`;
    throw new NodewrightError('DATA_DIR_DAMAGED', message);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Written whole before it has its name: a process that dies in between leaves no half of a secret. */
function made(file: string): string {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(BYTES).toString('base64url')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  return readFileSync(file, 'utf8').trim();
}

/** Encrypts plain data, and reads it again. */
export interface Seal {
  seal(value: unknown): string;
  /** @throws when it was sealed with another secret, or changed */
  open(sealed: string): unknown;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * @param purpose keeps what is sealed for one purpose from being read for another
 * @param stable the same value is sealed alike each time: its nonce follows from it, and from the key
 */
export function sealOf(secret: string, purpose: string, stable = false): Seal {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
  const nonceKey = new Uint8Array(hkdfSync('sha256', secret, '', `${purpose} nonces`, 32));
  const nonceOf = (text: string) =>
    stable ? createHmac('sha256', nonceKey).update(text).digest().subarray(0, NONCE_BYTES) : randomBytes(NONCE_BYTES);
  return {
    seal(value) {
      const plain = JSON.stringify(value);
      const nonce = nonceOf(plain);
      const cipher = createCipheriv(CIPHER, key, nonce);
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64');
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
      return JSON.parse(text.toString('utf8'));
    },
  };
}
