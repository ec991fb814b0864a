/** The holds of a node: who keeps others from it, and why. */
import { holdBlocks, holdKinds } from '../../../../engine/vocabulary/states.ts';
import { HOUR_MS } from '../../../../engine/vocabulary/units.ts';
import { client } from '../../data/daemon-client.ts';
import { useHolds } from '../../data/node-records.ts';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { Field } from '../../parts/field.tsx';
import { Form, fieldText } from '../../parts/form.tsx';
import { inShort } from '../../parts/in-short.ts';
import { LiveContent } from '../../parts/live-content.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { Ago, Until } from '../../parts/time.tsx';

export function NodeHolds({ id }: { id: string }) {
  const params = { identifier: id };
  const live = useHolds(id);
  const remove = (hold: string) =>
    client.remove('/nodes/:identifier/holds/:hold', { params: { ...params, hold } }).then(live.reload);
  return (
    <>
      <NeedsRight>
        <AddHold id={id} added={live.reload} />
      </NeedsRight>
      <LiveContent live={live}>
        {(holds) => (
          <DataTable
            label="Holds"
            rows={holds}
            keyOf={(hold) => hold.id}
            empty="No hold: workflows may start on this node."
            columns={[
              { title: 'kind', cell: ({ kind }) => kind },
              { title: 'reason', cell: ({ reason }) => reason },
              { title: 'blocks', cell: ({ blocks }) => blocks.join(', ') },
              { title: 'by', cell: ({ createdBy }) => createdBy ?? <span class="quiet">unknown</span> },
              { title: 'added', cell: ({ createdAt }) => <Ago at={createdAt} /> },
              { title: 'ends', cell: ({ until }) => (until === null ? 'when it is removed' : <Until at={until} />) },
              {
                title: 'actions',
                cell: (hold) => (
                  <NeedsRight owner={null}>
                    <RemoveButton what={`hold: ${inShort(hold.reason)}`} run={() => remove(hold.id)}>
                      <p>Workflows may start on the node again, unless another hold keeps them off.</p>
                    </RemoveButton>
                  </NeedsRight>
                ),
              },
            ]}
          />
        )}
      </LiveContent>
    </>
  );
}

function AddHold({ id, added }: { id: string; added: () => void }) {
  const add = async (form: FormData, close: () => void) => {
    const kind = holdKinds.find((one) => one === form.get('kind')) ?? 'maintenance';
    const blocks = holdBlocks.filter((one) => form.get(one) !== null);
    const hours = Number(fieldText(form, 'hours') ?? 0);
    const until = hours > 0 ? { until: new Date(Date.now() + hours * HOUR_MS).toISOString() } : {};
    const body = { kind, reason: fieldText(form, 'reason') ?? '', ...(blocks.length > 0 && { blocks }), ...until };
    await client.post('/nodes/:identifier/holds', { params: { identifier: id }, body });
    close();
    added();
  };
  return (
    <p class="actions">
      <DialogButton text="Hold…" title="Keep off this node">
        {(close) => (
          <Form action="Hold" submit={(form) => add(form, close)} cancel={close}>
            <ChoiceField
              label="Kind"
              name="kind"
              initial={holdKinds[0]}
              choices={holdKinds.map((kind) => [kind, kind] as const)}
            />
            <Field label="Reason">
              <input name="reason" required maxLength={1_000} />
            </Field>
            <Field label="Hours" hint="Empty: until it is removed">
              <input name="hours" type="number" min={1} max={8_760} />
            </Field>
            <fieldset>
              <legend>Blocks</legend>
              {holdBlocks.map((block) => (
                <label class="check" key={block}>
                  <input type="checkbox" name={block} defaultChecked={block === 'launch'} /> {block}
                </label>
              ))}
            </fieldset>
          </Form>
        )}
      </DialogButton>
    </p>
  );
}
