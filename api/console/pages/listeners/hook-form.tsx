/** A new hook, or a change of one. Its secret is written and never shown. */
import { useSignal } from '@preact/signals';
import { client } from '../../data/daemon-client.ts';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Field } from '../../parts/field.tsx';
import { Form, fieldText } from '../../parts/form.tsx';
import { HookEvents } from './hook-events.tsx';
import { filledFilters } from './hook-filters.ts';
import { eventsOf, filtersOf, usualTopics } from './hook-topics.ts';
import type { ShownHook, ShownHookFilter } from './shown-hook.ts';

const formats = [
  ['', 'The event'],
  ['slack', 'Slack'],
  ['teams', 'Teams'],
  ['pagerduty', 'PagerDuty'],
  ['mail', 'Mail'],
] as const;

/** @param hook null: a new one */
export function HookForm({ hook, done }: { hook: ShownHook | null; done: () => void }) {
  const events = hook === null ? { topics: usualTopics, others: [] } : eventsOf(hook.filters);
  const topics = useSignal(events.topics);
  const others = useSignal<readonly ShownHookFilter[]>(events.others);
  const submit = async (form: FormData) => {
    const { url, ...settings } = settingsIn(
      form,
      filtersOf({ topics: topics.value, others: filledFilters(others.value) }),
      hook,
    );
    if (hook === null) await client.post('/hooks', { body: { ...settings, url } });
    else {
      // A url is shown without its password, so it is only sent when it was changed.
      const body = { ...settings, ...(url !== hook.url && { url }) };
      await client.patch('/hooks/:id', { params: { id: hook.id }, body });
    }
    done();
  };
  return (
    <Form action={hook === null ? 'Create' : 'Save'} submit={submit} cancel={done}>
      <Field label="URL" hint="http or https; for mail smtp://RELAY?from=ADDRESS&to=ADDRESS,ADDRESS">
        <input name="url" type="url" required maxLength={2_048} defaultValue={hook?.url ?? ''} />
      </Field>
      <Field label="Name">
        <input name="name" maxLength={1_024} defaultValue={hook?.name ?? ''} />
      </Field>
      <ChoiceField
        label="Format"
        hint="The receiver gets a message of its kind; the secret is then the integration key of PagerDuty, or user:password of the mail relay"
        name="format"
        initial={hook?.format ?? ''}
        choices={formats}
      />
      <HookEvents topics={topics} others={others} />
      <Field
        label="Secret"
        hint={`Key of the signature; it is not shown again.${hook === null ? '' : ' Empty: it stays as it is.'}`}
      >
        <input name="secret" type="password" autoComplete="off" maxLength={1_024} />
      </Field>
      {hook !== null && (
        <label class="check">
          <input type="checkbox" name="noSecret" /> Send without a signature from now on
        </label>
      )}
      <Field label="Authority" hint="PEM of the authority that signed the certificate of the receiver">
        <textarea name="ca" rows={3} spellcheck={false} defaultValue={hook?.ca ?? ''} />
      </Field>
      <label class="check">
        <input type="checkbox" name="anyCertificate" defaultChecked={hook?.rejectUnauthorized === false} /> Accept any
        certificate of the receiver
      </label>
    </Form>
  );
}

function settingsIn(form: FormData, filters: readonly ShownHookFilter[], hook: ShownHook | null) {
  const secret = fieldText(form, 'secret');
  const ca = fieldText(form, 'ca');
  return {
    url: fieldText(form, 'url') ?? '',
    name: fieldText(form, 'name') ?? null,
    filters: [...filters],
    format: (fieldText(form, 'format') ?? null) as NonNullable<ShownHook['format']> | null,
    rejectUnauthorized: form.get('anyCertificate') === null,
    ...(ca !== undefined ? { ca } : hook?.ca !== undefined && { ca: null }),
    ...(form.get('noSecret') !== null ? { secret: null } : secret !== undefined && { secret }),
  };
}
