/**
 * Replaces the keys that daemons share, one step at a time. Daemons read their keys at the start.
 *
 * 1. Before keys are dropped, obms, ibms, pollers and hooks that are encrypted with them are encrypted with the key in use. A process
 *    that dies in between leaves the keys as they were.
 * 2. Secrets that are encrypted with `values` are in rows that running workflows change, and in definitions that are
 *    identified by their hash, so they are not encrypted anew: they end with their key.
 */

import type { IbmService } from '../define/node.ts';
import { hookSpec, type StoredHook } from '../events/hooks/stored-hook.ts';
import { ibmSpec, obmSpec, type StoredObm } from '../inventory/nodes/obm-requests.ts';
import { pollerSpec, type StoredPoller } from '../inventory/pollers/stored-poller.ts';
import type { Config } from '../platform/config/config.ts';
import { type KeyName, type KeyRing, type RotationStep, rotationSteps } from '../platform/secrets/key-ring.ts';
import { type Cipher, cipherOf, foundKeys } from '../platform/secrets/secrets.ts';
import { ringOf, type StoredSecret, secretSpec } from '../platform/secrets/shared-keys.ts';
import type { Collection, Document, Store } from '../platform/store/port.ts';
import { NodewrightError } from '../vocabulary/errors.ts';
import { type AdapterLog, checkStored, openKeyStore, openStoreAlone } from './adapters.ts';

/** Changes nothing, and needs no lock: daemons may run. @returns undefined: the daemon has not made it yet */
export async function readKey(config: Config, log: AdapterLog, name: KeyName): Promise<KeyRing | undefined> {
  checkStored(config);
  if (config.mongodb === undefined) return foundKeys(config.dataDir, name);
  const store = await openStoreAlone(config, log);
  try {
    const storedSecret = await (await store.collection<StoredSecret>(secretSpec)).get(name);
    return storedSecret && ringOf(storedSecret);
  } finally {
    await store.close();
  }
}

/** @returns the keys afterwards */
export async function rotateKey(config: Config, log: AdapterLog, name: KeyName, step: RotationStep): Promise<KeyRing> {
  const { store, keys, replace, close } = await openKeyStore(config, log);
  try {
    const before = await keys(name);
    const after = rotationSteps[step](before);
    if (step === 'drop') await encryptAnew(store, name, before);
    if (await replace(name, before, after)) return after;
    throw new NodewrightError('CONFLICT', `another process changes the key ${name}; look at it, then repeat`);
  } finally {
    await close();
  }
}

async function encryptAnew(store: Store, name: KeyName, keys: KeyRing): Promise<void> {
  if (name === 'obms') {
    const obms = await store.collection<StoredObm>(obmSpec);
    await encryptEach(obms, 'config', cipherOf(keys, 'obms'));
    await encryptEach(obms, 'next', cipherOf(keys, 'obms'));
    const ibms = await store.collection<StoredObm<IbmService>>(ibmSpec);
    await encryptEach(ibms, 'config', cipherOf(keys, 'obms'));
    const pollers = await store.collection<StoredPoller>(pollerSpec);
    await encryptEach(pollers, 'access', cipherOf(keys, 'obms'));
  }
  if (name === 'hooks') {
    const hooks = await store.collection<StoredHook>(hookSpec);
    await encryptEach(hooks, 'secret', cipherOf(keys, 'hooks'));
  }
}

const DOCUMENTS_PER_PAGE = 500;

/** A document that is changed at the same time is encrypted with the key in use by the process that changes it. */
async function encryptEach<T extends Document>(
  stored: Collection<T>,
  field: keyof T & string,
  cipher: Cipher,
): Promise<void> {
  let after = '';
  for (;;) {
    const page = await stored.find({ id: { $gt: after } }, { limit: DOCUMENTS_PER_PAGE });
    for (const document of page) {
      const { [field]: encrypted, id } = document;
      if (typeof encrypted !== 'string') continue;
      const anew = cipher.encrypt(cipher.decrypt(encrypted));
      await stored.update({ id, [field]: encrypted }, { $set: { [field]: anew } });
    }
    const last = page.at(-1);
    if (last === undefined || page.length < DOCUMENTS_PER_PAGE) return;
    after = last.id;
  }
}
