/** One option of a launch: a control by its schema, and what is wrong with its value. */
import { controlOf, enteredValue, exampleOf, type OptionField, rejectionsOf } from '../../../client/option-fields.ts';
import { labelsInShort, type ShownPlan } from '../../../client/shown-plan.ts';
import { eraseMethodsIn } from '../../data/erased-drives.ts';
import type { LaunchNode } from '../../data/launch-node.ts';
import { DriveBoxes } from './drive-boxes.tsx';
import { wrongText } from './rejection-text.ts';

interface OptionInputProps {
  field: OptionField;
  text: string;
  nodes: readonly LaunchNode[];
  rejections: ShownPlan['rejections'];
  enter: (text: string) => void;
}

export function OptionInput({ field, text, nodes, rejections, enter }: OptionInputProps) {
  const { key, labels, schema, isRequired } = field;
  // A field without a text is not wrong: it has no value yet, or that of the graph.
  const shownWrong = text === '' ? [] : [...unreadableText(field, text), ...wrongTexts(field, rejections)];
  const methods = nodes.length === 0 || field.target !== 'defaults' ? undefined : eraseMethodsIn(schema);
  const id = `option-${encodeURIComponent(`${field.target}.${key}`)}`;
  const control = (
    <>
      <label for={id} title={`Of ${labelsInShort(labels)}`}>
        {key}
      </label>
      {text === '' && hasExample(field) && (
        <button
          type="button"
          class="plain"
          aria-label={`Use the example of ${key}`}
          onClick={() => enter(exampleOf(field))}
        >
          Use the example
        </button>
      )}
      <OptionControl id={id} field={field} text={text} isWrong={shownWrong.length > 0} enter={enter} />
      <small id={`${id}-hint`}>{typeof schema.description === 'string' ? schema.description : ''}</small>
    </>
  );
  return (
    <div class="field">
      {methods === undefined ? (
        control
      ) : (
        <fieldset>
          <legend>Drives to erase</legend>
          <DriveBoxes nodes={nodes} methods={methods} setting={text} enter={enter}>
            {control}
          </DriveBoxes>
        </fieldset>
      )}
      {text === '' && isRequired && methods === undefined && <small>Required</small>}
      {shownWrong.map((message) => (
        <small class="wrong" key={message} role="alert">
          {message}
        </small>
      ))}
    </div>
  );
}

/** Each once, though several tasks may have the option. */
const wrongTexts = (field: OptionField, rejections: ShownPlan['rejections']): string[] => [
  ...new Set(
    field.labels.flatMap((label) =>
      rejectionsOf({ ...field, labels: [label] }, rejections).map((rejection) =>
        wrongText(rejection, `options.${label}.${field.key}`),
      ),
    ),
  ),
];

/** An example that is whole, of an option that has no value by itself. */
const hasExample = (field: OptionField): boolean =>
  field.standard === undefined && controlOf(field.schema).kind !== 'choice' && /[^…]$/.test(exampleOf(field));

function unreadableText({ schema }: OptionField, text: string): string[] {
  if (text === '') return [];
  try {
    enteredValue(schema, text);
    return [];
  } catch (error) {
    return [`found no JSON: ${(error as Error).message}`];
  }
}

interface OptionControlProps extends Omit<OptionInputProps, 'rejections' | 'nodes'> {
  id: string;
  isWrong: boolean;
}

function OptionControl({ id, field, text, isWrong, enter }: OptionControlProps) {
  const control = controlOf(field.schema);
  const example = exampleOf(field);
  const common = {
    id,
    'aria-invalid': isWrong,
    'aria-required': field.isRequired,
    'aria-describedby': `${id}-hint`,
    value: text,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => enter(currentTarget.value),
  };
  if (control.kind === 'choice')
    return (
      <select {...common}>
        <option value="">{example === '' ? 'not set' : `${example} (as the graph has it)`}</option>
        {control.choices.map((choice) => (
          <option key={String(choice)} value={String(choice)}>
            {String(choice)}
          </option>
        ))}
      </select>
    );
  const shared = { ...common, placeholder: example, spellcheck: false, autoComplete: 'off' } as const;
  if (control.kind === 'lines') return <textarea {...shared} rows={3} aria-description="a text a line" />;
  if (control.kind === 'json') return <textarea {...shared} rows={4} class="code" aria-description="JSON" />;
  return <input {...shared} inputMode={control.kind === 'number' ? 'decimal' : 'text'} />;
}
