/** Opens the records of a store for export and import, without the daemon. */

import { fileSpec, type StoredFile } from '../inventory/files/file-store.ts';
import { Generation, type Regeneration, regenerationSpec } from '../inventory/skus/generation.ts';
import { type StoredSku, skuSpec } from '../inventory/skus/stored-sku.ts';
import { catalogRecords } from '../operations/transfer/catalog-records.ts';
import { type ExportOptions, exportLines } from '../operations/transfer/export-lines.ts';
import { lookupKind, nodeRecordKind, obmKind, relationKind } from '../operations/transfer/node-kinds.ts';
import { definitionKind, hookKind, pollerKind, skuKind, tagKind } from '../operations/transfer/other-kinds.ts';
import {
  Import,
  type ImportCounts,
  type ImportOptions,
  type LineProblem,
} from '../operations/transfer/record-import.ts';
import type { StoredRecords } from '../operations/transfer/record-kind.ts';
import { Sealing } from '../operations/transfer/sealing.ts';
import { storedRecords } from '../operations/transfer/stored-records.ts';
import type { TransferLine } from '../operations/transfer/transfer-format.ts';
import { roleKind, userKind } from '../operations/transfer/user-kinds.ts';
import type { Config } from '../platform/config/config.ts';
import type { KeyName } from '../platform/secrets/key-ring.ts';
import { cipherOf } from '../platform/secrets/secrets.ts';
import { Vault } from '../platform/secrets/vault.ts';
import type { Store } from '../platform/store/port.ts';
import { NodewrightError } from '../vocabulary/errors.ts';
import { type AdapterLog, checkStored, daemonsRun, openKeyStore, upgradeDocuments } from './adapters.ts';

export interface Transfer {
  lines(options: ExportOptions): AsyncGenerator<TransferLine>;
  /** Returns the number of records of each kind that an export never has. */
  leftOut(): Promise<Record<string, number>>;
  /** @returns problems, then nothing was written. @throws NodewrightError CONFLICT while a daemon runs */
  import(options: ImportOptions, isCheck: boolean): Promise<{ problems: LineProblem[]; counts: ImportCounts }>;
  close(): Promise<void>;
}

/**
 * @param isExport the store has to be there
 * @throws NodewrightError when the store cannot be opened, as when a daemon runs on this data directory
 */
export async function openTransfer(config: Config, log: AdapterLog, isExport: boolean): Promise<Transfer> {
  if (isExport) checkStored(config);
  const { store, keys, close } = await openKeyStore(config, log);
  const sealing = async () => new Sealing(await keys('values'));
  return {
    async *lines(options) {
      yield* exportLines(await kindsOf(store, keys), await sealing(), options);
    },
    async leftOut() {
      const skus = await store.collection<StoredSku>(skuSpec);
      const files = await store.collection<StoredFile>(fileSpec);
      const packs = await skus.count({ 'pack.id': { $gt: '' } });
      return { packs, files: await files.count({ scope: null, builtIn: { $ne: true } }) };
    },
    async import(options, isCheck) {
      if (await daemonsRun(config, log)) {
        throw new NodewrightError('CONFLICT', 'found running daemons, expected none during an import; stop them all');
      }
      const work = new Import(await kindsOf(store, keys), await sealing(), options);
      const checked = await work.check();
      if (isCheck || checked.problems.length > 0) return checked;
      await upgradeDocuments(store, config);
      const counts = await work.write();
      // The daemon classifies all nodes at its next start.
      if (counts.added + counts.replaced > 0) await renewGeneration(store);
      return { problems: [], counts };
    },
    close,
  };
}

async function renewGeneration(store: Store): Promise<void> {
  const stored = await store.collection<Regeneration>(regenerationSpec);
  await new Generation(stored, async () => {}).change(async () => {});
}

/** In the order of an export. */
async function kindsOf(
  store: Store,
  keys: (name: KeyName) => Promise<ConstructorParameters<typeof Vault>[0]>,
): Promise<StoredRecords[]> {
  const vault = new Vault(await keys('values'));
  const obms = cipherOf(await keys('obms'), 'obms');
  return [
    await storedRecords(store, roleKind),
    await storedRecords(store, userKind),
    await storedRecords(store, skuKind(vault)),
    await storedRecords(store, tagKind),
    await storedRecords(store, nodeRecordKind(vault)),
    await storedRecords(store, relationKind),
    await storedRecords(store, obmKind('obm', obms)),
    await storedRecords(store, obmKind('ibm', obms)),
    await storedRecords(store, lookupKind),
    await storedRecords(store, definitionKind('task', vault)),
    await storedRecords(store, definitionKind('graph', vault)),
    await storedRecords(store, hookKind(cipherOf(await keys('hooks'), 'hooks'), vault)),
    await storedRecords(store, pollerKind(obms)),
    await catalogRecords(store),
  ];
}
