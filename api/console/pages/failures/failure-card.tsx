/** The failed workflows of one cause. */

import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import type { GetAnswer } from '../../../client/requests.ts';
import { causeText } from '../../data/cause-texts.ts';
import { client } from '../../data/daemon-client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { RetryAll } from '../../parts/bulk/retry-all.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { Field } from '../../parts/field.tsx';
import { Form, fieldText } from '../../parts/form.tsx';
import { inShort } from '../../parts/in-short.ts';
import { GraphLink, WorkflowLink } from '../../parts/links.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { Ago } from '../../parts/time.tsx';
import { AffectedNodes } from './affected-nodes.tsx';

type Failure = GetAnswer<'/failures'>[number];

interface FailureProps {
  failure: Failure;
  reload: () => void;
}

interface FailureActionsProps extends FailureProps {
  /** Its nodes are shown. */
  isOpen: boolean;
}

interface FailureCardProps extends FailureActionsProps {
  open: (isOpen: boolean) => void;
}

export function FailureCard({ failure, reload, isOpen, open }: FailureCardProps) {
  const { kind, graph, task, code, sample, count, nodes, firstAt, lastAt, addressed, common } = failure;
  const isStuck = kind === 'stuck';
  return (
    <article class="cause">
      <h2>
        <StatePill of={isStuck ? 'waiting' : 'failed'} text={isStuck ? 'stuck' : 'failed'} />{' '}
        {inShort(causeText(failure))} <code class="quiet">{code}</code>
      </h2>
      <p>
        {countText(count, 'workflow')} of <GraphLink name={graph} />
        {task !== null && `, at ${inShort(task)}`}, on {countText(nodes, 'node')}; first <Ago at={firstAt} />, last{' '}
        <Ago at={lastAt} />.{' '}
        <WorkflowLink id={sample} tab="why" text={isStuck ? 'Why the newest waits' : 'Why the newest failed'} />
      </p>
      {addressed !== null && (
        <p class="quiet">
          Addressed by {addressed.by ?? 'an unknown user'}, <Ago at={addressed.at} />
          {addressed.note !== null && `: ${addressed.note}`}
        </p>
      )}
      {common.length > 0 && (
        <DataTable
          label="Facts that the failed workflows share"
          rows={common}
          keyOf={({ fact, value }) => `${fact} ${value}`}
          empty=""
          columns={[
            { title: 'fact', cell: ({ fact }) => fact },
            { title: 'value', cell: ({ value }) => inShort(String(value)) },
            { title: 'failed', isNumber: true, cell: ({ failed, of }) => `${failed} of ${of}` },
            { title: 'succeeded', isNumber: true, cell: ({ succeeded, of }) => `${succeeded} of ${of}` },
          ]}
        />
      )}
      <details class="affected" open={isOpen} onToggle={({ currentTarget }) => open(currentTarget.open)}>
        <summary>{nodes === 0 ? countText(count, 'workflow') : `Affected: ${countText(nodes, 'node')}`}</summary>
        {isOpen && <AffectedNodes failure={failure} reload={reload} />}
      </details>
      <NeedsRight>
        <FailureActions failure={failure} reload={reload} isOpen={isOpen} />
      </NeedsRight>
    </article>
  );
}

function FailureActions({ failure, reload, isOpen }: FailureActionsProps) {
  const { id, kind, addressed } = failure;
  const act = (command: 'address' | 'reopen', note?: string) =>
    client.put('/failures/:id/action', { params: { id }, body: { command, ...(note !== undefined && { note }) } });
  const address = async (form: FormData, close: () => void) => {
    await act('address', fieldText(form, 'note'));
    close();
    reload();
  };
  return (
    <div class="actions">
      {kind === 'failed' && <RetryAll failure={failure} reload={reload} hasKey={isOpen} />}
      <NeedsRight owner={null}>
        {addressed === null ? (
          <DialogButton text="Mark as addressed…" title="What was done about it?">
            {(close) => (
              <Form action="Mark as addressed" submit={(form) => address(form, close)} cancel={close}>
                <Field label="Note" hint="A new failure of this cause reopens it">
                  <input name="note" maxLength={1_000} />
                </Field>
              </Form>
            )}
          </DialogButton>
        ) : (
          <ActionButton run={() => act('reopen').then(reload)}>Reopen</ActionButton>
        )}
      </NeedsRight>
    </div>
  );
}
