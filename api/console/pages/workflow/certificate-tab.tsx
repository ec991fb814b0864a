/** The certificate of a workflow that erased drives. */
import { certificateOf } from '../../data/certificate-of.ts';
import { useLive } from '../../data/live.ts';
import { CertificateSheet } from '../../parts/certificate-sheet.tsx';
import { LiveContent } from '../../parts/live-content.tsx';

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
          <CertificateSheet id={id} certificate={found} />
        )
      }
    </LiveContent>
  );
}
