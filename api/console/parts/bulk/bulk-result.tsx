/** The result of a command to many workflows, and why some did not take it. */
import type { FollowedAction } from '../../data/bulk-actions.ts';
import { type BulkAction, commandRejection, resultText } from '../../data/bulk-results.ts';
import { NodeLink, WorkflowLink } from '../links.tsx';
import { AcknowledgedRetry } from './acknowledged-retry.tsx';
import { type BulkTarget, NAMED } from './bulk-texts.ts';

interface BulkResultProps {
  followed: FollowedAction;
  action: BulkAction;
  workflows: readonly BulkTarget[];
  close: () => void;
}

export const BulkResult = ({ followed, action, workflows, close }: BulkResultProps) => (
  <>
    <p role="status">{resultText(action)}</p>
    <Rejections action={action} workflows={workflows} />
    <div class="actions">
      <AcknowledgedRetry followed={followed} />
      <button type="button" onClick={close}>
        Done
      </button>
    </div>
  </>
);

function Rejections({ action: { items }, workflows }: Pick<BulkResultProps, 'action' | 'workflows'>) {
  const rejected = items.filter(({ status }) => status === 'rejected');
  if (rejected.length === 0) return null;
  return (
    <ul>
      {rejected.slice(0, NAMED).map(({ workflow, code, message }) => (
        <li key={workflow}>
          <NodeLink id={workflows.find(({ id }) => id === workflow)?.node ?? null} />, workflow{' '}
          <WorkflowLink id={workflow} />: {commandRejection(code, message)} <code>{code}</code>
        </li>
      ))}
      {rejected.length > NAMED && <li>and {rejected.length - NAMED} more</li>}
    </ul>
  );
}
