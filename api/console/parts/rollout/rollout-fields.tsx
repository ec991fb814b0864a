/** The fields of a rollout: its phases, its limits, and what stops it. */
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { Field } from '../field.tsx';
import { inShort } from '../in-short.ts';
import type { RolloutTexts } from './entered-rollout.ts';

interface FieldsProps {
  texts: RolloutTexts;
  enter: (change: Partial<RolloutTexts>) => void;
}

export function RolloutFields({ texts, enter }: FieldsProps) {
  const windows = useLive('window-choice', () => client.get('/windows', { query: { sort: 'name', $top: 500 } }));
  const text = (key: keyof RolloutTexts) => ({
    defaultValue: String(texts[key]),
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => enter({ [key]: currentTarget.value.trim() }),
  });
  const choice = (key: keyof RolloutTexts) => ({
    onChange: ({ currentTarget }: { currentTarget: HTMLSelectElement }) => enter({ [key]: currentTarget.value }),
  });
  const number = { type: 'number', min: 1, max: 10_000 } as const;
  return (
    <>
      <Field label="Name" hint="By default that of the graph">
        <input {...text('name')} maxLength={200} />
      </Field>
      <Field label="Phases" hint="Numbers of nodes, percentages, and rest">
        <input {...text('phases')} />
      </Field>
      <label class="check">
        <input
          type="checkbox"
          checked={texts.waits}
          onChange={({ currentTarget }) => enter({ waits: currentTarget.checked })}
        />{' '}
        Wait for me after each phase
      </label>
      <div class="bounds">
        <Field label="At a time" hint="Empty: no limit">
          <input {...number} {...text('running')} />
        </Field>
        <Field label="At a time per" hint="Nodes that share it">
          <select {...choice('relation')}>
            <option value="enclosedBy">enclosure</option>
            <option value="poweredBy">PDU</option>
            <option value="containedBy">rack or container</option>
          </select>
        </Field>
        <Field label="Number" hint="Empty: no limit">
          <input {...number} {...text('perRelation')} />
        </Field>
        <Field label="Stop after failures" hint="Empty: never">
          <input {...number} {...text('failures')} />
        </Field>
        <Field label="Stop at health" hint="Of a node after its workflow">
          <select {...choice('health')}>
            <option value="">any</option>
            <option value="warning">warning</option>
            <option value="critical">critical</option>
          </select>
        </Field>
        <Field label="Window" hint="When targets may begin">
          <select {...choice('window')}>
            <option value="">any time</option>
            {(windows.value.value?.body ?? []).map(({ id, name }) => (
              <option key={id} value={id}>
                {inShort(name)}
              </option>
            ))}
          </select>
        </Field>
      </div>
      <details>
        <summary>Options as JSON</summary>
        <Field label="Options by task label, or defaults for all tasks">
          <textarea
            class="code"
            rows={3}
            spellcheck={false}
            defaultValue={texts.options}
            onInput={({ currentTarget }) => enter({ options: currentTarget.value })}
          />
        </Field>
      </details>
    </>
  );
}
