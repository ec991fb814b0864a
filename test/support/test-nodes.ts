/** The modules of nodes on any store, without the rest of the engine: no workflow holds a node, and no machine is polled. */
import { openDocumentState } from '../../engine/live/documents.ts';
import { openNodes } from '../../engine/open/nodes.ts';
import { openRecords } from '../../engine/runtime/records.ts';
import { cipherOf } from '../../engine/secrets/secrets.ts';
import { Vault } from '../../engine/secrets/vault.ts';

type NodesPort = Parameters<typeof openNodes>[0];

/** @param port what the test needs otherwise than here */
export const openTestNodes = async (port: Pick<NodesPort, 'store' | 'outbox' | 'failed'> & Partial<NodesPort>) =>
  openNodes({
    encrypt: cipherOf(['secret'], 'obms'),
    vault: new Vault(['secret']),
    bootKeys: ['secret'],
    catalogAdded: async () => {},
    decommission: async () => null,
    records: openRecords(await openDocumentState(port.store), true),
    pollerJobs: { schedule: async () => {}, unschedule: async () => {} },
    ...port,
  });
