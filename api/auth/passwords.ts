/** Passwords: stored as scrypt hashes with their own salt and costs, so that the costs can be raised later. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';

// 16 MiB and about 100 ms per guess: OWASP's recommendation for this amount of memory.
const COSTS = { N: 2 ** 14, r: 8, p: 5 };
const KEY_BYTES = 32;
/** Maximum of running and queued hashes; each occupies one of libuv's four threads. */
const MAX_UNDER_WAY = 64;

let underWay = 0;

/** @throws NodewrightError UNAVAILABLE when the limit is reached */
async function derive(password: string, salt: Buffer, costs: ScryptOptions): Promise<Buffer> {
  if (underWay >= MAX_UNDER_WAY) throw new NodewrightError('UNAVAILABLE', 'Too many concurrent logins; retry');
  underWay += 1;
  try {
    return await new Promise((resolve, reject) =>
      scrypt(password, salt, KEY_BYTES, costs, (error, key) => (error ? reject(error) : resolve(key))),
    );
  } finally {
    underWay -= 1;
  }
}

/** Returns `scrypt$N$r$p$salt$key`, salt and key in base64. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, COSTS);
  return ['scrypt', COSTS.N, COSTS.r, COSTS.p, salt.toString('base64'), key.toString('base64')].join('$');
}

/** Compared for an unknown user, so that an unknown name takes as long as a wrong password. */
const nobody = ['scrypt', COSTS.N, COSTS.r, COSTS.p, randomBytes(16).toString('base64'), ''].join('$');

/** @param stored undefined for an unknown user: takes the same time and returns false */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, N, r, p, salt = '', key = ''] = (stored ?? nobody).split('$');
  const expected = Buffer.from(key, 'base64');
  const actual = await derive(password, Buffer.from(salt, 'base64'), { N: Number(N), r: Number(r), p: Number(p) });
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
