/** A file of faults, whose first wrong line is named. */
import { readFileSync } from 'node:fs';
import { FaultLineError } from '../../../engine/hardware/twin/faults/read-faults.ts';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import { CommandError, EXIT } from '../exit-codes.ts';

/**
 * @param file absent: undefined is returned @param read throws FaultLineError
 * @throws CommandError
 */
export function faultsIn<T>(file: string | undefined, read: (text: string) => T): T | undefined {
  if (file === undefined) return undefined;
  try {
    return read(readFileSync(file, 'utf8'));
  } catch (error) {
    const place = error instanceof FaultLineError ? `${file}:${error.line}` : file;
    throw new CommandError(`${place}: ${messageOf(error)}`, EXIT.usage);
  }
}
