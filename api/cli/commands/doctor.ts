/** `nw doctor`: looks for what would soon be in the way. `nw completion`: the script for a shell. */
import { Argument, type Command } from 'commander';
import { completionScripts, completionsOf } from '../completion.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { EXIT } from '../exit-codes.ts';
import { colors, isTerminal, printableText, say } from '../terminal.ts';

export function addHelpCommands(root: Command): void {
  connecting(root.command('doctor'))
    .description('looks at stores, broker, disk, clock, tools, backups, nodes and BMCs; exit code 1: something failed')
    .action(doctor);
  root
    .command('completion')
    .description('writes the completion script of a shell: source <(nw completion bash)')
    .addArgument(new Argument('<shell>').choices(Object.keys(completionScripts)))
    .action((shell: string) => say(completionScripts[shell] ?? ''));
  root
    .command('complete [words...]', { hidden: true })
    .description('for the scripts of `nw completion`')
    .action(async (words: string[]) => {
      for (const word of await completionsOf(root, words)) say(printableText(word));
    });
}

const doctor = (options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { examine } = await import('../examination.ts');
    const findings = await examine(client);
    if (options.output === 'json') say(JSON.stringify(findings, null, 2));
    else if (options.output === 'jsonl') for (const finding of findings) say(JSON.stringify(finding));
    else
      for (const { subject, state, detail, advice } of findings) {
        say(
          `${symbols[state]()} ${subject.padEnd(12)} ${printableText(detail)}${advice === null ? '' : colors.dim(`   ! ${printableText(advice)}`)}`,
        );
      }
    if (findings.some(({ state }) => state === 'failed')) process.exitCode = EXIT.failed;
  });

const symbols = {
  ok: () => colors.green(isTerminal ? '✔' : 'ok  '),
  warning: () => colors.yellow(isTerminal ? '!' : 'warn'),
  failed: () => colors.red(isTerminal ? '✖' : 'fail'),
  skipped: () => colors.dim(isTerminal ? '-' : 'skip'),
};
