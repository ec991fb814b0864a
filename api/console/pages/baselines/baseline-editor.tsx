/** Creates a baseline, or changes one. Neither starts anything on a node. */
import { useSignal } from '@preact/signals';
import { client } from '../../data/daemon-client.ts';
import { useSkuNames } from '../../data/sku-names.ts';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Field } from '../../parts/field.tsx';
import { Form, fieldText } from '../../parts/form.tsx';
import { inShort } from '../../parts/in-short.ts';
import { ComponentLines } from './component-lines.tsx';
import { DeviceLines } from './device-lines.tsx';
import {
  type ComponentLine,
  componentLines,
  emptyComponent,
  enteredContent,
  type SettingLine,
  settingLines,
} from './edited-baseline.ts';
import { type DeviceLine, deviceLines, enteredDevices } from './edited-devices.ts';
import { SettingLines } from './setting-lines.tsx';
import type { Baseline } from './shown-baseline.ts';

interface EditorProps {
  /** undefined: a new one. */
  baseline?: Baseline;
  done: (id: string) => void;
}

export function BaselineEditor({ baseline, done }: EditorProps) {
  const skus = useSkuNames();
  const components = useSignal<readonly ComponentLine[]>(
    baseline === undefined ? [emptyComponent()] : componentLines(baseline.firmware),
  );
  const settings = useSignal<readonly SettingLine[]>(settingLines(baseline?.bios ?? {}));
  const devices = useSignal<readonly DeviceLine[]>(deviceLines(baseline?.inBand ?? []));
  const submit = async (form: FormData) => {
    const body = {
      name: fieldText(form, 'name')?.trim() ?? '',
      sku: fieldText(form, 'sku') ?? '',
      ...enteredContent(components.value, settings.value),
      inBand: enteredDevices(devices.value),
    };
    const { body: saved } =
      baseline === undefined
        ? await client.post('/baselines', { body })
        : await client.patch('/baselines/:id', { params: { id: baseline.id }, body });
    done(saved.id);
  };
  return (
    <Form action={baseline === undefined ? 'Create' : 'Save'} submit={submit}>
      <Field label="Name">
        <input name="name" required maxLength={200} autoComplete="off" defaultValue={baseline?.name ?? ''} />
      </Field>
      <ChoiceField
        label="SKU"
        hint="The nodes that must have it"
        name="sku"
        isRequired
        initial={baseline?.sku ?? ''}
        choices={[['', 'choose one'], ...[...skus.value].map(([id, name]) => [id, inShort(name)] as const)]}
      />
      <ComponentLines
        lines={components.value}
        change={(lines) => {
          components.value = lines;
        }}
      />
      <SettingLines
        lines={settings.value}
        change={(lines) => {
          settings.value = lines;
        }}
      />
      <DeviceLines
        lines={devices.value}
        change={(lines) => {
          devices.value = lines;
        }}
      />
      <p class="quiet">
        A component without an image is compared, and not updated. A value is a number, true or false if it looks like
        one; write "1" for the text 1. For updates in band a node boots the microkernel, once for all of them.
      </p>
    </Form>
  );
}
