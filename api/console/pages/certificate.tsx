/** One certificate of erased drives, also of a workflow that was deleted. */
import { useRoute } from 'preact-iso';
import { Heading } from '../parts/heading.tsx';
import { LiveCertificate } from '../parts/live-certificate.tsx';

export function CertificatePage() {
  const { id = '' } = useRoute().params;
  return (
    <>
      <Heading>Certificate of erased drives</Heading>
      <LiveCertificate id={id}>
        No certificate is kept of this workflow. <a href="/ui/certificates">All certificates</a>
      </LiveCertificate>
    </>
  );
}
