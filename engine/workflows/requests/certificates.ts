/**
 * Certificates: a record, signed by the service, of what a workflow did to drives. A workflow has one; it is created
 * once, never changed, and stays when its workflow is deleted, for the time that auditors ask for it.
 */
import type { CertificateRecord, CertificateSummary, Certificates } from '../../api-port/certificates.ts';
import type { Page, PagedList } from '../../api-port/page.ts';
import type { DriveRecord } from '../../define/erasure.ts';
import type { Rows } from '../../durable/runtime/rows.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import type { Jws, Signer } from '../../platform/secrets/signing.ts';
import { pages } from '../../platform/store/pages.ts';
import type { Collection, CollectionSpec } from '../../platform/store/port.ts';
import { listIn, objectIn, property } from '../../vocabulary/json.ts';
import type { InventoryPort } from './inventory-port.ts';

export const certificateSpec: CollectionSpec = {
  name: 'certificates',
  indexes: {
    graph: 'text',
    node: 'text',
    rollout: 'text',
    batch: 'text',
    owner: 'text',
    serials: 'texts',
    sanitized: 'boolean',
    issuedAt: 'text',
  },
};

/** The launch of the workflow, which is not signed. */
interface CertificateOrigin {
  rollout: string | null;
  batch: string | null;
  /** The team that the workflow belonged to; absent: none. */
  owner?: string;
}

/** A part of the signed content, by which lists filter and sort. */
interface ListedFields {
  graph: string;
  node: string | null;
  serials: string[];
  sanitized: boolean;
  issuedAt: string;
}

/** `id`: id of the workflow. Fields besides are absent in certificates that were issued before these existed. */
export interface StoredCertificate extends Partial<ListedFields>, Partial<CertificateOrigin> {
  id: string;
  jws: Jws;
  /** The public key. */
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
    const certificate = await this.#certificate(row, drives);
    const jws = await this.#signer.sign(certificate);
    const origin = await this.#origin(row);
    await this.#stored.insertMissing([{ id, jws, key: this.#signer.key, ...origin, ...fieldsOf(certificate) }]);
  }

  async #origin(row: WorkflowRow): Promise<CertificateOrigin> {
    const top = row.root === undefined ? row : await this.#workflows.load(row.root);
    const { owner } = row;
    return { rollout: top?.rollout ?? null, batch: top?.batch ?? null, ...(owner !== undefined && { owner }) };
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

  async list({ filter, ...page }: Page): Promise<PagedList<CertificateSummary>> {
    const stored = await this.#stored.find(filter, { ...page, sort: page.sort ?? { issuedAt: 1 } });
    return {
      items: stored.map(summaryOf),
      total: await this.#stored.count(filter),
    };
  }

  async *all(filter: Page['filter']): AsyncGenerator<CertificateRecord & { summary: CertificateSummary }> {
    for await (const stored of pages(this.#stored, { $and: [filter] }))
      yield { ...this.#recordOf(stored), summary: summaryOf(stored) };
  }

  async of(workflow: string): Promise<CertificateRecord | undefined> {
    const found = await this.#stored.get(workflow);
    return found && this.#recordOf(found);
  }

  #recordOf({ jws, key }: StoredCertificate): CertificateRecord {
    const { kid } = headerOf(jws);
    const signedWith = key ?? this.#signer.keys.find((one) => one.kid === kid) ?? this.#signer.key;
    return { certificate: contentOf(jws), jws, key: signedWith };
  }

  key(): Record<string, unknown> {
    return this.#signer.key;
  }

  keys(): readonly Record<string, unknown>[] {
    return this.#signer.keys;
  }

  /** For the retention. @param before ISO time */
  async removeBefore(before: string): Promise<void> {
    await this.#stored.remove({ issuedAt: { $lt: before } });
  }

  /** Lists find certificates that were issued before lists existed, after this. Repeating it changes nothing. */
  async complete(): Promise<void> {
    for await (const { id, jws } of pages(this.#stored, { issuedAt: { $exists: false } }))
      await this.#stored.update({ id }, { $set: { ...fieldsOf(contentOf(jws)) } });
  }
}

const contentOf = ({ payload }: Jws): Record<string, unknown> =>
  objectIn(JSON.parse(Buffer.from(payload, 'base64url').toString()));

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function summaryOf({ id, jws, rollout = null, batch = null, owner }: StoredCertificate): CertificateSummary {
  const owned = owner === undefined ? {} : { owner };
  return { workflow: id, rollout, batch, ...owned, ...signedSummary(contentOf(jws)) };
}

type SignedSummary = Omit<CertificateSummary, 'workflow' | keyof CertificateOrigin>;

function signedSummary(certificate: Record<string, unknown>): SignedSummary {
  const node = objectIn(certificate.node);
  return {
    graph: String(property(certificate.workflow, 'graph')),
    node: textOrNull(node.id),
    name: textOrNull(node.name),
    operator: textOrNull(certificate.operator),
    sanitized: certificate.sanitized === true,
    drives: listIn(certificate.drives).map((drive) => ({
      devName: String(property(drive, 'devName') ?? ''),
      serial: String(property(drive, 'serial') ?? ''),
      result: String(property(drive, 'result') ?? 'unknown'),
      level: textOrNull(property(drive, 'level')),
    })),
    issuedAt: String(certificate.issuedAt),
  };
}

function fieldsOf(certificate: Record<string, unknown>): ListedFields {
  const { graph, node, drives, sanitized, issuedAt } = signedSummary(certificate);
  return { graph, node, serials: drives.flatMap(({ serial }) => (serial === '' ? [] : [serial])), sanitized, issuedAt };
}

const headerOf = (jws: Jws): Record<string, unknown> =>
  objectIn(JSON.parse(Buffer.from(jws.protected, 'base64url').toString()));
