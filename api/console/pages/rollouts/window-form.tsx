/** A new window, or a change of one. */
import { useSignal } from '@preact/signals';
import type { GetAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { Field } from '../../parts/field.tsx';
import { Form, fieldText } from '../../parts/form.tsx';
import { NIGHT, type Span, SpanFields } from './span-fields.tsx';
import { ZoneField } from './zone-field.tsx';

type Window = GetAnswer<'/windows'>[number];

/** @param window null: a new one */
export function WindowForm({ window, done, cancel }: { window: Window | null; done: () => void; cancel: () => void }) {
  const spans = useSignal<readonly Span[]>(window?.spans ?? [NIGHT]);
  const submit = async (form: FormData) => {
    const body = {
      name: fieldText(form, 'name') ?? '',
      zone: fieldText(form, 'zone') ?? '',
      spans: [...spans.value],
      leadMinutes: Number(fieldText(form, 'leadMinutes') ?? 0),
    };
    if (window === null) await client.post('/windows', { body });
    else await client.patch('/windows/:id', { params: { id: window.id }, body });
    done();
  };
  return (
    <Form action={window === null ? 'Create' : 'Save'} submit={submit} cancel={cancel}>
      <Field label="Name">
        <input name="name" required maxLength={200} defaultValue={window?.name ?? ''} />
      </Field>
      <ZoneField zone={window?.zone} />
      <SpanFields spans={spans} />
      <Field label="Lead in minutes" hint="Nothing begins so shortly before it closes">
        <input name="leadMinutes" type="number" min={0} max={10_080} defaultValue={String(window?.leadMinutes ?? 0)} />
      </Field>
      {window !== null && window.closed.length > 0 && (
        <p class="quiet">The {window.closed.length} times at which it is closed stay as they are.</p>
      )}
    </Form>
  );
}
