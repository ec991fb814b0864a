/** The certificate of a workflow that erased drives. */
import { LiveCertificate } from '../../parts/live-certificate.tsx';

export const CertificateTab = ({ id }: { id: string }) => (
  <LiveCertificate id={id}>
    This workflow has no certificate. A workflow that erases drives gets one at its end.
  </LiveCertificate>
);
