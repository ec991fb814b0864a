/** The modules of nodes on any store, without the rest of the engine: no workflow holds a node, and no machine is polled. */

import { openNodes } from '../../../engine/assembly/nodes.ts';
import { openRecords } from '../../../engine/durable/runtime/records.ts';
import { cipherOf } from '../../../engine/platform/secrets/secrets.ts';
import { Vault } from '../../../engine/platform/secrets/vault.ts';
import { openDocumentState } from './document-live.ts';

type NodesPort = Parameters<typeof openNodes>[0];

/** @param port what the test needs otherwise than here */
export const openTestNodes = async (port: Pick<NodesPort, 'store' | 'outbox' | 'failed'> & Partial<NodesPort>) =>
  openNodes({
    encrypt: cipherOf(['secret'], 'obms'),
    vault: new Vault(['secret']),
    bootKeys: ['secret'],
    catalogAdded: async () => {},
    decommission: async () => null,
    markHeld: async () => {},
    records: openRecords(await openDocumentState(port.store), true),
    pollerJobs: { schedule: async () => {}, unschedule: async () => {} },
    ...port,
  });
