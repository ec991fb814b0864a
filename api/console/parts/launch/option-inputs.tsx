/** Fields for the options of a graph: those that several tasks share, then those of each task. */

import { labelFields, type OptionField, type OptionSchemas, optionFields } from '../../../client/option-fields.ts';
import type { ShownPlan } from '../../../client/shown-plan.ts';
import { type OptionTexts, textKey } from './entered-options.ts';
import { OptionInput } from './option-input.tsx';

interface OptionInputsProps {
  /** Without options: its values are those that the graph has by itself. */
  base: ShownPlan;
  schemas: OptionSchemas;
  texts: OptionTexts;
  /** Keys of the texts that an example has filled in, which are shown. */
  filledKeys: ReadonlySet<string>;
  /** The only node of the launch; undefined: none, or several. */
  node: string | undefined;
  /** Rejections of the last plan. */
  rejections: ShownPlan['rejections'];
  enter: (field: OptionField, text: string) => void;
}

export function OptionInputs({ base, schemas, texts, filledKeys, node, rejections, enter }: OptionInputsProps) {
  const fields = optionFields(base.tasks, schemas);
  const input = (field: OptionField) => (
    <OptionInput
      key={textKey(field)}
      field={field}
      text={texts.get(textKey(field)) ?? ''}
      node={node}
      rejections={rejections}
      enter={(text) => enter(field, text)}
    />
  );
  const isFilled = (some: readonly OptionField[]) => some.some((field) => filledKeys.has(textKey(field)));
  const singles = [...labelFields(base.tasks, schemas)].filter(([, fieldsOfLabel]) => fieldsOfLabel.length > 0);
  const [required, others] = [fields.filter(({ isRequired }) => isRequired), fields.filter((one) => !one.isRequired)];
  if (fields.length === 0) return <p class="quiet">The tasks of this graph have no options.</p>;
  return (
    <div class="options">
      {required.length > 0 && (
        <fieldset>
          <legend>Required</legend>
          {required.map(input)}
        </fieldset>
      )}
      {others.length > 0 && (
        <details open={isFilled(others) || (required.length === 0 && others.length <= MAX_UNFOLDED)}>
          <summary>Further options ({others.length})</summary>
          {others.map(input)}
        </details>
      )}
      <details open={singles.some(([, fieldsOfLabel]) => isFilled(fieldsOfLabel))}>
        <summary>Options of single tasks</summary>
        {singles.map(([label, fieldsOfLabel]) => (
          <details key={label} open={isFilled(fieldsOfLabel)}>
            <summary>
              {label} ({fieldsOfLabel.length})
            </summary>
            {fieldsOfLabel.map((field) => input({ ...field, isRequired: false }))}
          </details>
        ))}
      </details>
    </div>
  );
}

const MAX_UNFOLDED = 6;
