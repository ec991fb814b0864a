/**
 * Checks of schemas and values that a definition has passed. The outcome depends on nothing else, so that no start
 * compiles the schemas of unchanged definitions: they are compiled when they are first used.
 *
 * 1. Only checks without violations are kept, under a hash of what was checked.
 * 2. The stored ones are used only by the build of the engine that made them. A file that is damaged, that belongs to
 *    another user or that others may write is ignored.
 */
import { open } from 'node:fs/promises';
import { writePrivateFile } from '../../platform/lib/private-file.ts';
import type { Violation } from '../../vocabulary/errors.ts';
import { sha256 } from './hash.ts';

interface StoredChecks {
  build: string;
  passed: string[];
}

/** Each takes about 100 bytes. */
const MAX_CHECKS = 50_000;
const OTHERS_MAY_WRITE = 0o022;

/** Read from files. */
const passedKeys = new Set<string>();
/** Passed, or found to be known, in this process. */
const used = new Set<string>();

/** @param subject all that the check depends on @returns the violations of the check */
export function unlessPassed(subject: readonly unknown[], check: () => Violation[]): Violation[] {
  const key = keyOf(subject);
  if (key !== undefined && (used.has(key) || passedKeys.has(key))) {
    if (used.size < MAX_CHECKS) used.add(key);
    return [];
  }
  const violations = check();
  if (key !== undefined && violations.length === 0 && used.size < MAX_CHECKS) used.add(key);
  return violations;
}

export async function readChecks(file: string, build: string, isOwn: boolean): Promise<void> {
  try {
    const handle = await open(file);
    try {
      const { uid, mode } = await handle.stat();
      if (isOwn && ((mode & OTHERS_MAY_WRITE) !== 0 || uid !== process.getuid?.())) return;
      const stored = JSON.parse(await handle.readFile('utf8')) as StoredChecks;
      if (stored.build === build) for (const key of stored.passed.slice(0, MAX_CHECKS)) passedKeys.add(key);
    } finally {
      await handle.close();
    }
  } catch {}
}

/** Saves them atomically, if there are new ones. */
export async function saveChecks(file: string, build: string): Promise<void> {
  if ([...used].every((key) => passedKeys.has(key))) return;
  for (const key of used) passedKeys.add(key);
  const stored: StoredChecks = { build, passed: [...used] };
  await writePrivateFile(file, JSON.stringify(stored));
}

/** @returns undefined for anything that is not plain data: equal texts would not mean equal values */
function keyOf(subject: readonly unknown[]): string | undefined {
  try {
    return sha256(JSON.stringify(subject, plainOnly));
  } catch {
    return undefined;
  }
}

function plainOnly(this: unknown, key: string, value: unknown): unknown {
  if (value !== (this as Record<string, unknown>)[key] || !isPlain(value)) throw new Error('no plain data');
  return value;
}

function isPlain(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || prototype === Array.prototype;
}
