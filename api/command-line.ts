/**
 * The command `nodewright`, for work beside the daemon: `nodewright <topic> ...`. Each topic is a file of `commands/`.
 * Exit code 2: wrong arguments, or it could not be done.
 */
import { messageOf } from '../engine/define/thrown.ts';
import { auditCommand } from './commands/audit.ts';
import { backupCommand } from './commands/backup.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { keysCommand } from './commands/keys.ts';
import type { CommandTopic } from './commands/topic.ts';

const topics: Record<string, CommandTopic> = {
  audit: auditCommand,
  backup: backupCommand,
  export: exportCommand,
  import: importCommand,
  keys: keysCommand,
};

const usage = (): string => {
  const lines = Object.values(topics).flatMap((topic) => topic.usage.map((line) => `nodewright ${line}`));
  return `usage: ${lines.join('\n       ')}`;
};

async function main([name = '', ...args]: readonly string[]): Promise<number> {
  const topic = Object.hasOwn(topics, name) ? topics[name] : undefined;
  const code = await topic?.run(args);
  if (code !== undefined) return code;
  console.error(usage());
  return 2;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`nodewright: ${messageOf(error)}`);
  process.exitCode = 2;
}
