/** The way to the certificates of a rollout; nothing while there are none. */

import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';

export function RolloutCertificates({ id }: { id: string }) {
  const live = useLive(
    `certificates of the rollout ${id}`,
    () => client.get('/certificates', { query: { rollout: id, $top: 1 } }),
    ({ type, action }) => type === 'graph' && action === 'finished',
  );
  const { total = 0 } = live.value.value ?? {};
  if (total === 0) return null;
  return (
    <p>
      <a href={`/ui/certificates?${new URLSearchParams({ rollout: id })}`}>
        {countText(total, 'certificate')} of erased drives
      </a>
    </p>
  );
}
