/**
 * The keys that daemons share, by name. Each is a ring: one key is in use, and others are accepted, so that a key can be
 * replaced while daemons run and values made with the earlier key are still in use.
 */
import { randomBytes } from 'node:crypto';
import { NodewrightError } from '../../vocabulary/errors.ts';

/** The key in use, then keys that are accepted too. */
export type KeyRing = readonly [string, ...string[]];

/** Every key, with what is made with it. */
export const keyPurposes = {
  'auth-token': 'login tokens',
  values: 'secrets in options, workflows, definitions, nodes, SKUs and URLs of hooks',
  obms: 'configs of obms',
  hooks: 'secrets of hooks',
  'southbound-keys': 'keys of booting nodes',
  certificates: 'signatures of erase certificates',
} as const;
export type KeyName = keyof typeof keyPurposes;

const BYTES = 32;
/** Enough for a rotation that begins before the previous one has ended. */
const MAX_KEYS = 5;

export const newKey = (): string => randomBytes(BYTES).toString('base64url');

/**
 * The steps of a rotation. All daemons restart after each one, so that each key is accepted everywhere before it is used
 * anywhere, and is used nowhere before it is dropped.
 */
export const rotationSteps = {
  /** Accepts a new key. */
  add(ring: KeyRing): KeyRing {
    if (ring.length < MAX_KEYS) return [...ring, newKey()];
    throw new NodewrightError('CONFLICT', `there are ${MAX_KEYS} keys, the maximum; drop the unused ones first`);
  },
  /** Uses the newest key, and accepts the others. */
  use(ring: KeyRing): KeyRing {
    const newest = ring.at(-1);
    if (ring.length > 1 && newest !== undefined) return [newest, ...ring.slice(0, -1)];
    throw new NodewrightError('CONFLICT', 'there is only the key in use; add a new one first');
  },
  /** Accepts only the key in use. */
  drop(ring: KeyRing): KeyRing {
    if (ring.length > 1) return [ring[0]];
    throw new NodewrightError('CONFLICT', 'there is only the key in use; there is nothing to drop');
  },
};
export type RotationStep = keyof typeof rotationSteps;
