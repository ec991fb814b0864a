/** The configuration. Some settings change immediately, until the daemons stop; the others are in their files. */
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { Field } from '../../parts/field.tsx';
import { Form, fieldText } from '../../parts/form.tsx';
import { JsonTree } from '../../parts/json-tree.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { runtimeSettings, type ShownConfig, settingsIn } from './runtime-settings.ts';

export function ConfigTab() {
  const live = useLive('config', async () => (await client.get('/config')).body as ShownConfig);
  return (
    <LiveContent live={live}>
      {(config) => (
        <>
          <NeedsRight group="config" method="PATCH">
            <h2>Settings that can be changed now</h2>
            <p class="quiet">A change applies to all daemons until they stop. Empty: unchanged.</p>
            <SettingsForm config={config} saved={live.reload} />
          </NeedsRight>
          <h2>Configuration in effect</h2>
          <JsonTree label="Configuration" value={config} searches />
        </>
      )}
    </LiveContent>
  );
}

function SettingsForm({ config, saved }: { config: ShownConfig; saved: () => void }) {
  const submit = async (form: FormData, element: HTMLFormElement) => {
    const body = settingsIn((name) => fieldText(form, name));
    await client.patch('/config', { body });
    element.reset();
    saved();
  };
  return (
    <Form action="Apply" submit={submit}>
      <div class="filters">
        {runtimeSettings.map(({ name, title, hint, choices, valueIn }) => (
          <Field key={name} label={title} hint={hint}>
            {choices === undefined ? (
              <input name={name} placeholder={valueIn(config)} autoComplete="off" />
            ) : (
              <select name={name}>
                <option value="">unchanged ({valueIn(config)})</option>
                {choices.map((choice) => (
                  <option key={choice} value={choice}>
                    {choice}
                  </option>
                ))}
              </select>
            )}
          </Field>
        ))}
      </div>
    </Form>
  );
}
