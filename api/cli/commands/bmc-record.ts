/** `nw bmc record`: the tree of a real BMC as a folder, from which `nw twin` makes machines. No daemon is needed. */
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { signalToStop } from '../on-signals.ts';
import { askPassword } from '../prompts.ts';
import { inform, printableText, say } from '../terminal.ts';

interface RecordFlags {
  user: string;
  passwordStdin?: boolean;
  ca?: string;
  insecure: boolean;
}

/** A variable with the password of the BMC. */
const PASSWORD = 'NW_BMC_PASSWORD';

export function addBmcRecordCommand(bmc: Command): void {
  bmc
    .command('record <url> <folder>')
    .description("reads a BMC's Redfish tree into a folder without its secrets, as a model for nw twin")
    .requiredOption('--user <name>', 'account of the BMC; a read-only one is enough')
    .option(
      '--password-stdin',
      `reads the password from the standard input; else ${PASSWORD} has it, or it is asked for`,
    )
    .option('--ca <file>', "PEM of the authority that signed the BMC's certificate")
    .option('--insecure', 'accepts any certificate of the BMC', false)
    .action(record);
}

async function record(url: string, folder: string, flags: RecordFlags): Promise<void> {
  const [{ recordBmc }, { writeMockup }, { modelOfTree }] = await Promise.all([
    import('../../../engine/hardware/twin/recorded/record-bmc.ts'),
    import('../../../engine/hardware/twin/recorded/mockup-folder.ts'),
    import('../../../engine/hardware/twin/recorded/recorded-model.ts'),
  ]);
  const target = {
    origin: originOf(url),
    user: flags.user,
    password: process.env[PASSWORD] ?? (await askPassword(`Password of ${flags.user}`, flags.passwordStdin === true)),
    verifySSL: !flags.insecure,
    ca: flags.ca === undefined ? undefined : readFileSync(flags.ca, 'utf8'),
    advice: {
      account: 'correct --user or its password',
      rights: 'give the account of --user the right to read this',
      trust: 'give --ca with the authority that signed it, or --insecure',
    },
  };
  const stop = signalToStop();
  const reportMissing = (path: string) => inform(printableText(`the BMC does not give ${path}`));
  const tree = await recordBmc(target, stop, reportMissing).catch((error: unknown) => {
    throw new CommandError(printableText(messageOf(error)), stop.aborted ? EXIT.interrupted : EXIT.failed);
  });
  const { manufacturer, product } = modelOfTree(tree, basename(resolve(folder)));
  const files = await writeMockup(folder, tree);
  say(printableText(`${folder}: ${files} resources of a ${manufacturer} ${product}`));
}

function originOf(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return new URL(url).origin;
  throw new CommandError(`found the URL ${url}; expected one of a BMC, such as https://10.1.1.7`, EXIT.usage);
}
