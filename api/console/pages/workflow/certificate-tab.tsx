/** The certificate of a workflow that erased drives. */
import type { GetAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { RequestError } from '../../data/request-error.ts';
import { JsonTree } from '../../parts/json-tree.tsx';
import { LiveContent } from '../../parts/live-content.tsx';

type Certificate = GetAnswer<'/workflows/:id/certificate'>;

export function CertificateTab({ id }: { id: string }) {
  const live = useLive(
    `certificate ${id}`,
    () => certificateOf(id),
    ({ typeId }) => typeId === id,
  );
  return (
    <LiveContent live={live}>
      {({ found }) =>
        found === null ? (
          <p class="quiet">This workflow has no certificate. A workflow that erases drives gets one at its end.</p>
        ) : (
          <>
            <p>
              It is signed by this service. <code>nw certificate verify FILE</code> verifies it without the service.
            </p>
            <button type="button" class="main" onClick={() => download(id, found)}>
              Download the certificate
            </button>
            <JsonTree label="certificate" value={found.certificate} />
          </>
        )
      }
    </LiveContent>
  );
}

async function certificateOf(id: string): Promise<{ found: Certificate | null }> {
  try {
    return { found: (await client.get('/workflows/:id/certificate', { params: { id } })).body };
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return { found: null };
    throw error;
  }
}

function download(id: string, certificate: Certificate): void {
  const address = URL.createObjectURL(new Blob([JSON.stringify(certificate, null, 2)], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `certificate-${id}.json`;
  link.click();
  URL.revokeObjectURL(address);
}
