/** One certificate of erased drives, also of a workflow that was deleted. */
import { useRoute } from 'preact-iso';
import { isBeginning } from '../data/id-beginning.ts';
import { certificatesWith } from '../data/whole-id.ts';
import { CompletedId } from '../parts/completed-id.tsx';
import { Heading } from '../parts/heading.tsx';
import { LiveCertificate } from '../parts/live-certificate.tsx';

const TITLE = 'Certificate of erased drives';
const allCertificates = { path: '/ui/certificates', title: 'All certificates' };

export function CertificatePage() {
  const { id = '' } = useRoute().params;
  if (isBeginning(id))
    return (
      <CompletedId title={TITLE} what="certificate" beginning={id} idsWith={certificatesWith} list={allCertificates} />
    );
  return (
    <>
      <Heading>{TITLE}</Heading>
      <LiveCertificate id={id}>
        No certificate is kept of this workflow. <a href={allCertificates.path}>{allCertificates.title}</a>
      </LiveCertificate>
    </>
  );
}
