/** Certificates of drive erasure workflows, and the key that they are signed with. */
import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { certificateSummary } from '../../engine/api-port/certificates.ts';
import type { Page } from '../../engine/api-port/index.ts';
import { optionalTexts, texts, times } from '../../engine/api-port/list-filter.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { narrowedPage, wholePage } from '../http/list.ts';
import { requireFound } from '../http/rejections.ts';
import { archiveAnswer, archiveReply, listReply } from '../http/replies.ts';
import { type Call, routesOf } from '../http/route.ts';
import { zipStream } from '../http/zip.ts';
import { certificateRecord, certificateView, publicKey } from '../views/certificate.ts';
import { projection } from '../views/projection.ts';
import { certificateFiles } from './certificate-archive.ts';

const route = routesOf('components');

const ZIP = 'application/zip';

const summaryView = projection(certificateSummary);

const certificateFilters = {
  ...texts('graph'),
  ...optionalTexts('node', 'rollout', 'batch', 'owner'),
  ...times('issuedAt'),
  workflow: { kind: 'text', path: 'id' },
  serial: { kind: 'texts', path: 'serials', sort: false },
  sanitized: { kind: 'boolean' },
} as const;

/**
 * Returns the page with the certificates of the teams of a member. A certificate outlives its team: a later team of the name has those
 * that were issued since it exists.
 */
async function certificatesWithin({ engine, scope, page }: Pick<Call, 'engine' | 'scope' | 'page'>): Promise<Page> {
  if (scope === undefined) return page;
  const { items } = await engine.teams.list(wholePage({ id: { $in: [...scope.teams] } }));
  const since = items.map(({ name, createdAt }) => ({ owner: name, issuedAt: { $gte: createdAt } }));
  return narrowedPage(page, since.length === 0 ? { id: { $in: [] } } : { $or: since });
}

export const certificateRoutes = [
  route({
    id: 'listCertificates',
    summary: 'List the certificates of erased drives, also of deleted workflows',
    method: 'GET',
    path: '/certificates',
    reach: { by: 'handler' },
    list: certificateFilters,
    answer: { status: 200, schema: Type.Array(certificateSummary) },
    handle: async (call) => listReply(await call.engine.certificates.list(await certificatesWithin(call)), summaryView),
  }),
  route({
    id: 'getCertificateArchive',
    summary: 'Get certificates as an archive (ZIP) with an index and the public keys, for auditors',
    method: 'GET',
    path: '/certificates/archive',
    reach: { by: 'handler' },
    filters: certificateFilters,
    answer: archiveAnswer(ZIP),
    rejections: { 404: 'No certificate matches' },
    handle: async (call) => {
      const { filter } = await certificatesWithin(call);
      const files = await certificateFiles(call.engine.certificates, filter);
      const archive = Readable.from(zipStream(files, new Date().toISOString()));
      return archiveReply(archive, ZIP, 'nodewright-certificates.zip');
    },
  }),
  route({
    id: 'getCertificate',
    summary: 'Get the certificate of a workflow that erased drives',
    method: 'GET',
    path: '/workflows/:id/certificate',
    reach: { by: 'workflow' },
    answer: { status: 200, schema: certificateRecord },
    rejections: { 404: 'No such workflow, or it has no certificate yet' },
    handle: async ({ engine, params: { id = '' } }) => {
      const none = () => new NodewrightError('NOT_FOUND', `The workflow ${id} has no certificate`);
      return { body: certificateView(requireFound(await engine.certificates.of(id), none)) };
    },
  }),
  route({
    id: 'getCertificateKey',
    summary: 'Get the public key that verifies certificates',
    method: 'GET',
    path: '/certificates/key',
    reach: { by: 'free' },
    answer: { status: 200, schema: publicKey },
    handle: async ({ engine }) => ({ body: engine.certificates.key() }),
  }),
  route({
    id: 'getCertificateKeys',
    summary: 'Get the public keys that verify certificates: the key in use, and others during a rotation',
    method: 'GET',
    path: '/certificates/keys',
    reach: { by: 'free' },
    answer: { status: 200, schema: Type.Object({ keys: Type.Array(publicKey) }) },
    handle: async ({ engine }) => ({ body: { keys: [...engine.certificates.keys()] } }),
  }),
];
