/** A certificate of erased drives on one page, as an auditor reads and prints it. */
import { isObject, listIn, objectIn } from '../../../engine/vocabulary/json.ts';
import type { GetAnswer } from '../../client/requests.ts';
import { certificateFacts, textAt } from '../data/certificate-facts.ts';
import { saveFile } from '../data/save-file.ts';
import { DataTable } from './data-table.tsx';
import '../styles/certificates.css';

type Certificate = GetAnswer<'/workflows/:id/certificate'>;

/** In UTC: the readers of a certificate are anywhere. */
const timeText = (iso: string): string => (iso === '' ? '' : `${iso.slice(0, 19).replace('T', ' ')} UTC`);

const identifiers: readonly string[] = ['Node', 'Workflow', 'Serial number'];

const GIGABYTE = 10 ** 9;

const sizeText = (bytes: unknown): string =>
  typeof bytes === 'number' ? `${Math.round(bytes / GIGABYTE).toLocaleString('en')} GB` : '';

export function CertificateSheet({ id, certificate: signed }: { id: string; certificate: Certificate }) {
  const { certificate, key } = signed;
  const drives = listIn(certificate.drives).filter(isObject);
  return (
    <>
      <div class="actions">
        <button type="button" class="main" onClick={() => window.print()}>
          Print
        </button>
        <button type="button" onClick={() => saveFile(`certificate-${id}.json`, JSON.stringify(signed, null, 2))}>
          Download
        </button>
      </div>
      <article class="certificate">
        <p class="verdict">
          {certificate.sanitized === true ? 'All drives are sanitized.' : 'Not all drives are sanitized.'}
        </p>
        <dl>
          {certificateFacts(certificate, timeText).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{identifiers.includes(name) ? <code>{value}</code> : value}</dd>
            </div>
          ))}
        </dl>
        <DataTable
          label="Drives"
          rows={drives}
          keyOf={(drive) => textAt(drive, 'devName')}
          empty="It names no drive."
          columns={[
            { title: 'drive', cell: (drive) => textAt(drive, 'devName') },
            { title: 'model', cell: (drive) => `${textAt(drive, 'make')} ${textAt(drive, 'model')}`.trim() },
            { title: 'serial number', cell: (drive) => <code>{textAt(drive, 'serial') || 'unknown'}</code> },
            { title: 'size', isNumber: true, cell: (drive) => sizeText(drive.sizeBytes) },
            { title: 'method', cell: (drive) => textAt(drive, 'method') },
            { title: 'tool', cell: (drive) => `${textAt(drive, 'tool')} ${textAt(drive, 'toolVersion')}`.trim() },
            { title: 'samples', cell: (drive) => textAt(drive, 'verification', 'result') },
            { title: 'result', cell: (drive) => textAt(drive, 'result') },
            { title: 'level', cell: (drive) => textAt(drive, 'level') },
            { title: 'ended', cell: (drive) => timeText(textAt(drive, 'endedAt')) },
          ]}
        />
        <ErrorList drives={drives} />
        <p class="quiet">
          Signed with the key <code>{String(objectIn(key).kid)}</code>. The downloaded file has the signature;{' '}
          <code>nw certificate verify FILE --key KEY</code> verifies it without the service.
        </p>
      </article>
    </>
  );
}

function ErrorList({ drives }: { drives: readonly Record<string, unknown>[] }) {
  const errors = drives.flatMap((drive) =>
    listIn(drive.errors).map((error) => `${textAt(drive, 'devName')}: ${error}`),
  );
  if (errors.length === 0) return null;
  return (
    <ul>
      {errors.map((error) => (
        <li key={error}>{error}</li>
      ))}
    </ul>
  );
}
