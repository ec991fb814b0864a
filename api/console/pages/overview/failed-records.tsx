/** Workflows that failed, grouped by the code of their error: the most frequent first. */
import { byKey } from '../../../client/by-key.ts';
import { NodeLink, WorkflowLink } from '../../parts/links.tsx';
import { ShortText } from '../../parts/short-text.tsx';
import { Ago } from '../../parts/time.tsx';
import type { NeedyWorkflows } from './read-needs.ts';

type FailedRecords = NeedyWorkflows['failed'];

/** Workflows that are shown for each reason. */
const WORKFLOWS_PER_REASON = 5;

export function FailedWorkflows({ failed, total }: { failed: FailedRecords; total: number }) {
  const groups = [...byKey(failed, ({ error }) => error?.code ?? 'without a code')];
  return (
    <>
      {groups
        .toSorted(([, one], [, other]) => other.length - one.length)
        .map(([code, all]) => (
          <Reason key={code} code={code} failed={all} />
        ))}
      {total > failed.length && (
        <p class="quiet">
          The newest {failed.length} of {total} that failed in the last 24 hours.
        </p>
      )}
    </>
  );
}

function Reason({ code, failed }: { code: string; failed: FailedRecords }) {
  const { error, finishedAt } = failed[0] ?? {};
  const first = failed.at(-1)?.finishedAt;
  return (
    <section class="need">
      <h3>
        <span aria-hidden="true">✗</span> {failed.length} failed with <code>{code}</code>
      </h3>
      <p>
        <ShortText text={error?.message ?? ''} most={300} />
      </p>
      <p class="quiet">
        {failed.length > 1 && first && (
          <>
            first <Ago at={first} />, last{' '}
          </>
        )}
        {finishedAt && <Ago at={finishedAt} />}
      </p>
      <ul>
        {failed.slice(0, WORKFLOWS_PER_REASON).map(({ id, injectableName, node }) => (
          <li key={id}>
            <NodeLink id={node} /> <WorkflowLink id={id} text={injectableName} />
          </li>
        ))}
        {failed.length > WORKFLOWS_PER_REASON && (
          <li>
            <a href="/ui/workflows?status=failed">and {failed.length - WORKFLOWS_PER_REASON} more</a>
          </li>
        )}
      </ul>
    </section>
  );
}
