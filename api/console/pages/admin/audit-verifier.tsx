/** Verifies the chain of the audit log. */
import { useSignal } from '@preact/signals';
import type { GetAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { ActionButton } from '../../parts/action-button.tsx';

/** ms; a long log takes minutes. */
const VERIFY_MS = 300_000;

export function AuditVerifier() {
  const report = useSignal<GetAnswer<'/audit/verify'> | undefined>(undefined);
  const verify = async () => {
    report.value = undefined;
    report.value = (await client.get('/audit/verify', { limitMs: VERIFY_MS })).body;
  };
  return (
    <div class="actions table-bar">
      <ActionButton run={verify}>Verify the chain</ActionButton>
      <span role="status" class={report.value?.ok === false ? 'tone failed' : undefined}>
        {report.value !== undefined && sentence(report.value)}
      </span>
    </div>
  );
}

const sentence = ({ ok, checked, brokenAt }: GetAnswer<'/audit/verify'>): string =>
  ok
    ? `${checked} entries are as they were written.`
    : `Entry ${brokenAt} is not as it was written: it, or one before it, was changed or removed. ${checked} entries were checked.`;
