/** The choice of a time zone, by its name; the browser's by default. */
import { useId } from 'preact/hooks';
import { browserZone } from '../../data/zone-times.ts';
import { Field } from '../../parts/field.tsx';

const zones = Intl.supportedValuesOf('timeZone');

export function ZoneField({ zone = browserZone() }: { zone?: string | undefined }) {
  const id = useId();
  return (
    <>
      <Field label="Zone" hint="Such as Europe/Berlin; its clock changes count">
        <input
          name="zone"
          list={id}
          required
          maxLength={100}
          autoComplete="off"
          spellcheck={false}
          defaultValue={zone}
        />
      </Field>
      <datalist id={id}>
        {zones.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </>
  );
}
