/** A file of faults, whose first wrong line is named. */
import { readFileSync } from 'node:fs';
import { FaultLineError } from '../../../engine/hardware/twin/faults/read-faults.ts';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import { CommandError, EXIT } from '../exit-codes.ts';

/**
 * @param file absent: undefined is returned @param read throws FaultLineError
 * @throws CommandError
 */
export const faultsIn = <T>(file: string | undefined, read: (text: string) => T): T | undefined =>
  file === undefined ? undefined : namingLine(file, () => read(readFileSync(file, 'utf8')));

/** @param check throws FaultLineError @throws CommandError, with the line of the file */
export function namingLine<T>(file: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    const place = error instanceof FaultLineError ? `${file}:${error.line}` : file;
    throw new CommandError(`${place}: ${messageOf(error)}`, EXIT.usage);
  }
}
