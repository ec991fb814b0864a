/** Fields for the options of a graph: those that a launch usually sets, then all others, folded. */
import type { TaskOptions } from '../../../client/launch-options.ts';
import { labelFields, type OptionField, type OptionSchemas, optionFields } from '../../../client/option-fields.ts';
import type { ShownPlan } from '../../../client/shown-plan.ts';
import type { LaunchNode } from '../../data/launch-node.ts';
import { Field } from '../field.tsx';
import { isUsual, type OptionTexts, textKey } from './entered-options.ts';
import { OptionInput } from './option-input.tsx';

interface OptionInputsProps {
  /** Without options: its values are those that the graph has by itself. */
  base: ShownPlan;
  schemas: OptionSchemas;
  /** The author's: they show which options are usually set. */
  examples: readonly TaskOptions[];
  texts: OptionTexts;
  /** Keys of the texts that an example has filled in, which are shown. */
  filledKeys: ReadonlySet<string>;
  nodes: readonly LaunchNode[];
  /** Rejections of the last plan. */
  rejections: ShownPlan['rejections'];
  enter: (field: OptionField, text: string) => void;
  /** The options without a field. */
  json: { text: string; isReadable: boolean; enter: (text: string) => void };
}

export function OptionInputs(props: OptionInputsProps) {
  const { base, schemas, examples, texts, filledKeys, nodes, rejections, enter, json } = props;
  const fields = optionFields(base.tasks, schemas);
  const input = (field: OptionField) => (
    <OptionInput
      key={textKey(field)}
      field={field}
      text={texts.get(textKey(field)) ?? ''}
      nodes={nodes}
      rejections={rejections}
      enter={(text) => enter(field, text)}
    />
  );
  const isFilled = (some: readonly OptionField[]) => some.some((field) => filledKeys.has(textKey(field)));
  const singles = [...labelFields(base.tasks, schemas)].filter(([, fieldsOfLabel]) => fieldsOfLabel.length > 0);
  const usual = fields.filter((field) => isUsual(field, examples));
  const others = fields.filter((field) => !usual.includes(field));
  const ofSingles = singles.flatMap(([, fieldsOfLabel]) => fieldsOfLabel);
  return (
    <div class="options">
      {usual.map(input)}
      <details class="more-options" open={isFilled(others) || isFilled(ofSingles) || !json.isReadable}>
        <summary>More options{others.length > 0 && ` (${others.length})`}</summary>
        {others.map(input)}
        {singles.length > 0 && (
          <details open={isFilled(ofSingles)}>
            <summary>For single tasks</summary>
            {singles.map(([label, fieldsOfLabel]) => (
              <details key={label} open={isFilled(fieldsOfLabel)}>
                <summary>
                  {label} ({fieldsOfLabel.length})
                </summary>
                {fieldsOfLabel.map((field) => input({ ...field, isRequired: false }))}
              </details>
            ))}
          </details>
        )}
        <Field
          label="As JSON: by task label, or defaults for all tasks"
          hint={json.isReadable ? 'The fields above take precedence' : 'Found no JSON object of objects'}
        >
          <textarea
            class="code"
            rows={3}
            spellcheck={false}
            placeholder='{"defaults":{}}'
            value={json.text}
            onInput={({ currentTarget }) => json.enter(currentTarget.value)}
          />
        </Field>
      </details>
    </div>
  );
}
