/**
 * The content of drives: a text represents all data of a drive. Each block is computed from it, so samples before and after an
 * erase show what a real drive would.
 */
import { createHash } from 'node:crypto';
import { BLOCK } from '../../erase/samples.ts';
import { methodOf, type ToolName } from '../../erase/tools.ts';
import type { DriveJob } from '../machine/machine-state.ts';

const EVERY_BYTE = /^every byte is 0x([0-9a-f]{2})$/;

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/** @param byte two hexadecimal digits */
const filledWith = (byte: string): string => `every byte is 0x${byte}`;

/** The content of a drive whose job was stopped, or lost. */
export const partialContent = ({ id, tool }: Pick<DriveJob, 'id' | 'tool'>): string => `a part of ${tool} ${id}`;

/** The content that the tool leaves once it succeeds. */
export function erasedContent({ id, tool, arg, contentBefore }: DriveJob): string {
  const { left, level } = methodOf(tool as ToolName, arg);
  if (level === null) return contentBefore;
  if (/^[0-9a-f]{2}$/.test(left)) return filledWith(left);
  return left === 'random' || arg === 'crypto' ? `random data of ${id}` : filledWith('00');
}

/** The byte that all bytes are, and the hash of a block. */
function blockOf(content: string, block: number): { byte: string; hash: string } {
  const byte = EVERY_BYTE.exec(content)?.[1];
  if (byte === undefined) return { byte: '--', hash: sha256(`${content} ${block}`) };
  return { byte, hash: sha256(Buffer.alloc(BLOCK, Number.parseInt(byte, 16))) };
}

/** The hash of the list of samples, as `job.sh` writes it: number, hash, byte. */
export function digestOf(content: string, blocks: readonly number[]): string {
  const lines = blocks.map((block) => {
    const { byte, hash } = blockOf(content, block);
    return `${block} ${hash} ${byte}\n`;
  });
  return sha256(lines.join(''));
}

/** Counts as `judge` of `job.sh`: read, matching, same, old, unreadable. @param expected the byte, or a word that no block is */
export function verdictOf(before: string, after: string, blocks: readonly number[], expected: string): string {
  const count = blocks.length;
  const matching = EVERY_BYTE.exec(after)?.[1] === expected ? count : 0;
  const same = before === after ? count : 0;
  const old = same > 0 && !EVERY_BYTE.test(before) ? count : 0;
  return `${count} ${matching} ${same} ${old} 0`;
}
