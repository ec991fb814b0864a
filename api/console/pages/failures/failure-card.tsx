/** The failed workflows of one cause. */
import { useSignal } from '@preact/signals';
import type { GetAnswer } from '../../../client/requests.ts';
import { mayOperate } from '../../data/current-user.ts';
import { client } from '../../data/daemon-client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { countText } from '../../parts/count-texts.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { Field } from '../../parts/field.tsx';
import { Form, fieldText } from '../../parts/form.tsx';
import { inShort } from '../../parts/in-short.ts';
import { GraphLink, WorkflowLink } from '../../parts/links.tsx';
import { Ago, Time } from '../../parts/time.tsx';

type Failure = GetAnswer<'/failures'>[number];

interface FailureCardProps {
  failure: Failure;
  reload: () => void;
}

export function FailureCard({ failure, reload }: FailureCardProps) {
  const { graph, task, code, message, sample, count, nodes, firstAt, lastAt, addressed, common } = failure;
  return (
    <article class="cause">
      <h2>
        <code>{code}</code> {inShort(message)}
      </h2>
      <p>
        {countText(count, 'workflow')} of <GraphLink name={graph} />
        {task !== null && `, at ${inShort(task)}`}, on {countText(nodes, 'node')}; last <Ago at={lastAt} />, first{' '}
        <Time at={firstAt} />. <WorkflowLink id={sample} tab="why" text="The newest" />
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
      {mayOperate.value && <FailureActions failure={failure} reload={reload} />}
    </article>
  );
}

function FailureActions({ failure: { id, count, addressed }, reload }: FailureCardProps) {
  const retried = useSignal<string | undefined>(undefined);
  const act = (command: 'address' | 'reopen' | 'retry', note?: string) =>
    client.put('/failures/:id/action', { params: { id }, body: { command, ...(note !== undefined && { note }) } });
  const retry = async () => {
    retried.value = (await act('retry')).body.action;
    reload();
  };
  const address = async (form: FormData, close: () => void) => {
    await act('address', fieldText(form, 'note'));
    close();
    reload();
  };
  return (
    <div class="actions">
      <ActionButton kind="main" run={retry}>
        Retry {count === 1 ? 'it' : `all ${count}`}
      </ActionButton>
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
      {retried.value !== undefined && (
        <span role="status">
          Retried by the action <code>{retried.value.slice(0, 8)}</code>: <a href="/ui/workflows">see the workflows</a>
        </span>
      )}
    </div>
  );
}
