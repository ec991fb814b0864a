/** A new window, or a change of one. */
import { useSignal } from '@preact/signals';
import type { GetAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { Field } from '../../parts/field.tsx';
import { Form, fieldText } from '../../parts/form.tsx';
import { NextTimes } from '../../parts/next-times.tsx';
import { ClosureFields, type ClosureLine, closureLines, enteredClosures } from './closure-fields.tsx';
import { NIGHT, type Span, SpanFields } from './span-fields.tsx';
import { ZoneField } from './zone-field.tsx';

type Window = GetAnswer<'/windows'>[number];

const zoneIn = (form: FormData): string => fieldText(form, 'zone') ?? '';

/** @param window null: a new one */
export function WindowForm({ window, done, cancel }: { window: Window | null; done: () => void; cancel: () => void }) {
  const spans = useSignal<readonly Span[]>(window?.spans ?? [NIGHT]);
  const closures = useSignal<readonly ClosureLine[]>(closureLines(window?.closed ?? []));
  const nextOpenings = async (form: FormData) => {
    const { body } = await client.post('/windows/preview', {
      body: { zone: zoneIn(form), spans: [...spans.value], closed: enteredClosures(closures.value) },
    });
    return body.next.map(({ opensAt, closesAt }) => ({ from: opensAt, to: closesAt }));
  };
  const submit = async (form: FormData) => {
    const body = {
      name: fieldText(form, 'name') ?? '',
      zone: zoneIn(form),
      spans: [...spans.value],
      closed: enteredClosures(closures.value),
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
      <ClosureFields
        lines={closures.value}
        change={(lines) => {
          closures.value = lines;
        }}
      />
      <Field label="Lead in minutes" hint="Nothing begins so shortly before it closes">
        <input name="leadMinutes" type="number" min={0} max={10_080} defaultValue={String(window?.leadMinutes ?? 0)} />
      </Field>
      <NextTimes zoneIn={zoneIn} ask={(form) => (zoneIn(form) === '' ? undefined : nextOpenings(form))} />
    </Form>
  );
}
