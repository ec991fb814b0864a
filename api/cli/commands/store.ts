/**
 * Commands on the store of a daemon, by its configuration (`NODEWRIGHT_CONFIG`). Their work is loaded when it runs: the
 * engine takes longer to load than most other commands to run.
 */
import type { Command } from 'commander';
import type { ChainEnd } from '../../../engine/api-port/index.ts';
import { chainEnd, KNOWN } from '../checked-chain.ts';
import { connecting } from '../connection.ts';
import { position } from '../option-values.ts';
import type { RackhdFlags } from '../rackhd/import-checkout.ts';
import type { ExportFlags } from '../store/export.ts';
import type { ImportFlags } from '../store/import.ts';
import { inStore } from '../store/in-store.ts';
import { addAuditRequests } from './audit.ts';

export function addStoreCommands(root: Command): void {
  addBackup(
    root.command('backup').description('makes, verifies and restores backups, by the configuration of the daemon'),
  );
  addTransfer(root);
  addKeys(root.command('keys').description('lists and replaces the keys that the daemon made'));
  addAudit(root.command('audit').description('the audit log'));
}

function addBackup(backup: Command): void {
  const work = () => import('../store/backup.ts');
  backup
    .command('create <file>')
    .description('makes a backup in a new file, while daemons run or not')
    .action((file: string) => inStore(work().then(({ createFile }) => createFile(file))));
  backup
    .command('verify <file>')
    .description('verifies a backup')
    .action((file: string) => inStore(work().then(({ verifyFile }) => verifyFile(file))));
  backup
    .command('restore <file>')
    .description('restores a backup, while no daemon runs')
    .option('--replace', 'removes the present data first')
    .action((file: string, { replace = false }: { replace?: boolean }) =>
      inStore(work().then(({ restoreFile }) => restoreFile(file, replace))),
    );
}

function addTransfer(root: Command): void {
  root
    .command('export [file]')
    .description('writes users, nodes, SKUs and definitions as JSON lines')
    .option('--secrets', 'includes all secrets, readable')
    .option('--catalogs', 'includes the catalogs of nodes')
    .action((file: string | undefined, options: ExportFlags) =>
      inStore(import('../store/export.ts').then(({ exportRecords }) => exportRecords(file, options))),
    );
  const bring = root
    .command('import <file>')
    .description('checks an export, then adds its records, while no daemon runs')
    .option('--check', 'changes nothing')
    .option('--replace', 'replaces records that differ')
    .action((file: string, options: ImportFlags) =>
      inStore(import('../store/import.ts').then(({ importRecords }) => importRecords(file, options))),
    );
  connecting(bring.command('rackhd <dir>'))
    .description('puts the tasks, graphs and packs of a checkout of RackHD to a daemon, and says what became of each')
    .option('--dry-run', 'checks them against the included tasks, without a daemon')
    .option('--replace', 'also puts those under the name of a definition that comes with the daemon')
    .action((dir: string, options: RackhdFlags) =>
      import('../rackhd/import-checkout.ts').then(({ importCheckout }) => importCheckout(dir, options)),
    );
}

const steps = {
  add: 'makes a new key, which is accepted from the next start of each daemon on',
  use: 'uses the newest key, and accepts the others',
  drop: 'accepts only the key in use',
} as const;

function addKeys(keys: Command): void {
  const work = () => import('../store/keys.ts');
  keys
    .command('list')
    .description('lists the keys by their fingerprints, while daemons run or not')
    .action(() => inStore(work().then(({ rotate }) => rotate())));
  for (const step of ['add', 'use', 'drop'] as const) {
    keys
      .command(`${step} <key...>`)
      .description(steps[step])
      .action((names: string[]) => inStore(work().then(({ rotate }) => rotate(step, names))));
  }
}

function addAudit(audit: Command): void {
  addAuditRequests(audit);
  const work = () => import('../store/audit.ts');
  audit
    .command('verify [file]')
    .description('verifies the chain of an exported file, or of the store')
    .option(...KNOWN, chainEnd)
    .action((file: string | undefined, { known }: { known?: ChainEnd }) =>
      inStore(work().then(({ verifyAudit }) => verifyAudit(file, known))),
    );
  audit
    .command('export')
    .description('writes the entries in the store as JSON lines')
    .argument('[seq]', 'only later entries', position, 0)
    .action((after: number) => inStore(work().then(({ exportEntries }) => exportEntries(after))));
}
