/**
 * Certificates: a record, signed by the service, of what a workflow did to drives. A workflow has one; it is created
 * once, never changed, and deleted with its workflow.
 */
import type { CertificateRecord, Certificates } from '../../api-port/certificates.ts';
import type { DriveRecord } from '../../define/erasure.ts';
import type { Rows } from '../../durable/runtime/rows.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import type { Jws, Signer } from '../../platform/secrets/signing.ts';
import type { Collection, CollectionSpec } from '../../platform/store/port.ts';
import { objectIn, property } from '../../vocabulary/json.ts';
import type { InventoryPort } from './inventory-port.ts';

export const certificateSpec: CollectionSpec = { name: 'certificates', indexes: {} };

/** `id`: id of the workflow. */
export interface StoredCertificate {
  id: string;
  jws: Jws;
  /** The public key. Absent in certificates that were issued before the field existed. */
  key?: Signer['key'];
}

const STANDARD = 'NIST SP 800-88 Rev. 1';

export class CertificateRequests implements Certificates {
  readonly #stored: Collection<StoredCertificate>;
  readonly #signer: Signer;
  readonly #workflows: Pick<Rows<WorkflowRow>, 'load'>;
  readonly #inventory: Pick<InventoryPort, 'nodes' | 'catalogs'>;

  constructor(
    stored: Collection<StoredCertificate>,
    signer: Signer,
    workflows: Pick<Rows<WorkflowRow>, 'load'>,
    inventory: Pick<InventoryPort, 'nodes' | 'catalogs'>,
  ) {
    this.#stored = stored;
    this.#signer = signer;
    this.#workflows = workflows;
    this.#inventory = inventory;
  }

  /** @param operationId id of the operation that asks for the certificate; it begins with the workflow's id */
  async certify(operationId: string, drives: readonly DriveRecord[]): Promise<void> {
    const [id = ''] = operationId.split('/');
    const row = await this.#workflows.load(id);
    if (row === undefined || (await this.#stored.get(id)) !== undefined) return;
    const jws = await this.#signer.sign(await this.#certificate(row, drives));
    await this.#stored.insertMissing([{ id, jws, key: this.#signer.key }]);
  }

  async #certificate(row: WorkflowRow, drives: readonly DriveRecord[]): Promise<Record<string, unknown>> {
    return {
      type: 'nodewright.sanitization',
      version: 1,
      standard: STANDARD,
      workflow: { id: row.id, graph: row.graphName, startedAt: row.startedAt },
      node: row.node === null ? null : await this.#node(row.node),
      // The user who launched the workflow, or its parent; null: launched without a user.
      operator: row.operator ?? null,
      // The users who asked for the erasure and approved it; null: it needed no ticket.
      ticket: row.ticket ?? null,
      // The weakest identification among the agents whose reports this certificate relies on.
      agent: { knownBy: row.agentKnownBy ?? 'nothing' },
      drives,
      sanitized: drives.length > 0 && drives.every(({ result }) => result === 'sanitized'),
      issuedAt: new Date().toISOString(),
    };
  }

  async #node(id: string): Promise<Record<string, unknown>> {
    const node = await this.#inventory.nodes.find(id);
    const dmi = await this.#inventory.catalogs.latestData(id, 'dmi');
    const system = objectIn(property(dmi, 'System Information'));
    return {
      id,
      name: node?.name ?? null,
      identifiers: node?.identifiers ?? [],
      manufacturer: system.Manufacturer ?? null,
      product: system['Product Name'] ?? null,
      serial: system['Serial Number'] ?? null,
    };
  }

  async of(workflow: string): Promise<CertificateRecord | undefined> {
    const found = await this.#stored.get(workflow);
    if (found === undefined) return undefined;
    const { payload, ...rest } = found.jws;
    const { kid } = headerOf(found.jws);
    const key = found.key ?? this.#signer.keys.find((one) => one.kid === kid) ?? this.#signer.key;
    const certificate = objectIn(JSON.parse(Buffer.from(payload, 'base64url').toString()));
    return { certificate, jws: { payload, ...rest }, key };
  }

  key(): Record<string, unknown> {
    return this.#signer.key;
  }

  keys(): readonly Record<string, unknown>[] {
    return this.#signer.keys;
  }

  /** Deletes the certificate of a deleted workflow. */
  async forget(workflow: string): Promise<void> {
    await this.#stored.remove({ id: workflow });
  }
}

const headerOf = (jws: Jws): Record<string, unknown> =>
  objectIn(JSON.parse(Buffer.from(jws.protected, 'base64url').toString()));
