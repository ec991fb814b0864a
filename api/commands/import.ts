/** `nodewright import`: checks an export, then writes its records, while the daemons are stopped. */
import { accessSync, constants } from 'node:fs';
import { openTransfer, readConfig } from '../../engine/index.ts';
import { takenOptions } from './command-options.ts';
import { inputRules } from './record-schemas.ts';
import type { CommandTopic } from './topic.ts';

const log = { info: () => {}, warn: (_: object, message: string) => console.error(message) };

/** Records that are named because they lack secrets; the others are counted. */
const NAMED = 20;

async function run(args: readonly string[]): Promise<number | undefined> {
  const taken = takenOptions(args, ['--check', '--replace']);
  const [file, ...more] = taken?.rest ?? [];
  if (taken === undefined || file === undefined || more.length > 0) return undefined;
  accessSync(file, constants.R_OK);
  const isCheck = taken.options.has('--check');
  let lacking = 0;
  const transfer = await openTransfer(readConfig(), log, false);
  try {
    const { problems, counts } = await transfer.import(
      {
        file,
        rules: inputRules,
        replace: taken.options.has('--replace'),
        lacking(line, type, id, paths) {
          lacking += 1;
          if (lacking <= NAMED) console.error(`line ${line}: ${type} ${id} lacks ${paths.join(', ')}: enter it again`);
        },
      },
      isCheck,
    );
    for (const { line, message } of problems) console.error(`line ${line}: ${message}`);
    if (problems.length > 0) console.error(`Found ${problems.length} or more errors; nothing was changed.`);
    if (lacking > NAMED) console.error(`${lacking} records lack secrets.`);
    const { added, replaced, equal } = counts;
    const done = isCheck ? 'Would add' : 'Added';
    if (problems.length === 0)
      console.log(`${done} ${added}, ${isCheck ? 'replace' : 'replaced'} ${replaced}, equal ${equal}.`);
    return problems.length === 0 ? 0 : 1;
  } finally {
    await transfer.close();
  }
}

export const importCommand: CommandTopic = {
  usage: ['import [--check] [--replace] FILE        checks an export, then adds its records'],
  run,
};
