/** `nodewright import`: checks an export, then writes its records, while the daemons are stopped. */
import { accessSync, constants, existsSync } from 'node:fs';
import { openTransfer, readConfig } from '../../../engine/index.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { inputRules } from './record-schemas.ts';

const log = { info: () => {}, warn: (_: object, message: string) => console.error(message) };

/** Records that are named because they lack secrets; the others are counted. */
const RECORDS_NAMED = 20;

export interface ImportFlags {
  check?: boolean;
  replace?: boolean;
}

export async function importRecords(
  file: string,
  { check: isCheck = false, replace = false }: ImportFlags,
): Promise<void> {
  if (!existsSync(file)) throw new CommandError(`found no file ${file}; expected one of nw export`, EXIT.usage);
  accessSync(file, constants.R_OK);
  let lacking = 0;
  const transfer = await openTransfer(readConfig(), log, false);
  try {
    const { problems, counts } = await transfer.import(
      {
        file,
        rules: inputRules,
        replace,
        lacking(line, type, id, paths) {
          lacking += 1;
          if (lacking <= RECORDS_NAMED)
            console.error(`line ${line}: ${type} ${id} lacks ${paths.join(', ')}: enter it again`);
        },
      },
      isCheck,
    );
    for (const { line, message } of problems) console.error(`line ${line}: ${message}`);
    if (problems.length > 0) console.error(`Found ${problems.length} or more errors; nothing was changed.`);
    if (lacking > RECORDS_NAMED) console.error(`${lacking} records lack secrets.`);
    const { added, replaced, equal } = counts;
    const done = isCheck ? 'Would add' : 'Added';
    if (problems.length === 0)
      console.log(`${done} ${added}, ${isCheck ? 'replace' : 'replaced'} ${replaced}, equal ${equal}.`);
    else process.exitCode = EXIT.failed;
  } finally {
    await transfer.close();
  }
}
