/** One certificate of erased drives, also of a workflow that was deleted. */
import { useRoute } from 'preact-iso';
import { certificateOf } from '../data/certificate-of.ts';
import { useLive } from '../data/live.ts';
import { CertificateSheet } from '../parts/certificate-sheet.tsx';
import { Heading } from '../parts/heading.tsx';
import { LiveContent } from '../parts/live-content.tsx';

export function CertificatePage() {
  const { id = '' } = useRoute().params;
  const live = useLive(
    `certificate ${id}`,
    () => certificateOf(id),
    ({ typeId }) => typeId === id,
  );
  return (
    <>
      <Heading>Certificate of erased drives</Heading>
      <LiveContent live={live}>
        {({ found }) =>
          found === null ? (
            <p class="quiet">
              No certificate is kept of this workflow. <a href="/ui/certificates">All certificates</a>
            </p>
          ) : (
            <CertificateSheet id={id} certificate={found} />
          )
        }
      </LiveContent>
    </>
  );
}
