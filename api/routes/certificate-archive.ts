/** The certificates of a search as an archive that an auditor reads without the service. */

import type { CertificateSummary } from '../../engine/api-port/certificates.ts';
import type { Engine } from '../../engine/api-port/index.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { wholePage } from '../http/list.ts';
import type { ZippedFile } from '../http/zip.ts';
import { certificateView } from '../views/certificate.ts';

/** Certificates of one archive: its index has all of them. */
const MOST = 20_000;

type Certificates = Pick<Engine['certificates'], 'list' | 'all' | 'keys'>;

const README = `Certificates of erased drives

index.csv       a line for each drive: where, when, by whom, how, and the file of the certificate
certificates/   the certificates, each signed
keys.json       the public keys of the service

To verify all of them without the service:

  nw certificate verify certificates/*.json --key keys.json

Compare the key with that of the service, which GET /certificates/keys answers: an archive that was
forged as a whole has a key of its own.
`;

const COLUMNS = ['file', 'node', 'drive', 'serial', 'result', 'level', 'issued', 'graph', 'operator', 'workflow'];

/** @throws NodewrightError TOO_LARGE, NOT_FOUND (none) */
export async function certificateFiles(
  certificates: Certificates,
  filter: Record<string, unknown>,
): Promise<AsyncGenerator<ZippedFile>> {
  const { total } = await certificates.list({ ...wholePage(), limit: 1, filter });
  if (total === 0) throw new NodewrightError('NOT_FOUND', 'No certificate matches');
  if (total > MOST)
    throw new NodewrightError('TOO_LARGE', `found ${total} certificates; expected at most ${MOST}: narrow the filter`);
  return filesOf(certificates, filter);
}

async function* filesOf(certificates: Certificates, filter: Record<string, unknown>): AsyncGenerator<ZippedFile> {
  yield ['README.txt', README];
  yield ['keys.json', textOf({ keys: certificates.keys() })];
  const summaries: CertificateSummary[] = [];
  for await (const { summary, ...record } of certificates.all(filter)) {
    summaries.push(summary);
    yield [fileOf(summary), textOf(certificateView(record))];
  }
  const rows = summaries.toSorted((one, other) => (one.issuedAt < other.issuedAt ? -1 : 1)).flatMap(rowsOf);
  yield ['index.csv', [COLUMNS, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')];
}

const fileOf = ({ workflow }: CertificateSummary): string => `certificates/${workflow}.json`;

const textOf = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function rowsOf(summary: CertificateSummary): (string | null)[][] {
  const { node, name, drives, issuedAt, graph, operator, workflow } = summary;
  return drives.map(({ devName, serial, result, level }) => {
    const drive = [devName, serial, result, level];
    return [fileOf(summary), name ?? node, ...drive, issuedAt, graph, operator, workflow];
  });
}

/** RFC 4180. Programs compute what begins like a formula, and drives name their own serial numbers. */
function cellOf(value: string | null): string {
  const text = /^[=+\-@\t\r]/.test(value ?? '') ? `'${value}` : (value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
