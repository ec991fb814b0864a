/** The certificate of a workflow, as soon as it has one. */
import type { ComponentChildren } from 'preact';
import type { GetAnswer } from '../../client/requests.ts';
import { client } from '../data/daemon-client.ts';
import { useLive } from '../data/live.ts';
import { CertificateSheet } from './certificate-sheet.tsx';
import { LiveContent } from './live-content.tsx';

/** @param children instead of no certificate */
export function LiveCertificate({ id, children }: { id: string; children: ComponentChildren }) {
  const live = useLive(
    `certificate ${id}`,
    () => certificateOf(id),
    ({ typeId }) => typeId === id,
  );
  return (
    <LiveContent live={live}>
      {({ found }) =>
        found === null ? <p class="quiet">{children}</p> : <CertificateSheet id={id} certificate={found} />
      }
    </LiveContent>
  );
}

type Certificate = GetAnswer<'/workflows/:id/certificate'>;

/** Asks the list first: most workflows have none, and a 404 would be an error in the log of the browser. */
async function certificateOf(workflow: string): Promise<{ found: Certificate | null }> {
  const { body } = await client.get('/certificates', { query: { workflow } });
  if (body.length === 0) return { found: null };
  return { found: (await client.get('/workflows/:id/certificate', { params: { id: workflow } })).body };
}
