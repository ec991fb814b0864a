/** The launch of a graph that is chosen: its options, its plan, and the start. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { TaskOption, TaskOptions } from '../../../client/launch-options.ts';
import { enteredExample } from '../../../client/option-examples.ts';
import type { OptionField, OptionSchemas } from '../../../client/option-fields.ts';
import type { ShownPlan } from '../../../client/shown-plan.ts';
import { type LaunchNode, readSchemas, usePlans } from '../../data/plan-data.ts';
import { Field } from '../field.tsx';
import { enteredOptions, isTaken, type OptionTexts, textKey, withOption } from './entered-options.ts';
import { ExampleChoice } from './example-choice.tsx';
import { LaunchStart, type LaunchStartProps } from './launch-start.tsx';
import { OptionInputs } from './option-inputs.tsx';
import { PlanList, UnplannedNote } from './plan-list.tsx';

interface GraphLaunchProps {
  graph: string;
  nodes: readonly LaunchNode[];
  warning: string | undefined;
  /** The last step; absent: the launch. */
  start: ((launch: LaunchStartProps) => ComponentChildren) | undefined;
}

const NO_OPTIONS: TaskOptions = {};

export function GraphLaunch({ graph, nodes, warning, start }: GraphLaunchProps) {
  const texts = useSignal<OptionTexts>(new Map());
  const given = useSignal<ReadonlyMap<string, TaskOption>>(new Map());
  const more = useSignal('');
  const filledKeys = useSignal<ReadonlySet<string>>(new Set());
  const base = usePlans(graph, nodes.slice(0, 1), NO_OPTIONS);
  const first = base.plans.value?.[0]?.plan;
  const schemas = useSchemas(first);
  const options = enteredOptions([...given.value.values()], more.value);
  const planned = usePlans(graph, nodes, options);
  const enter = (field: OptionField, text: string) => {
    texts.value = new Map(texts.value).set(textKey(field), text);
    given.value = withOption(given.value, field, text);
  };
  const fill = (tasks: ShownPlan['tasks'], optionSchemas: OptionSchemas) => (example: TaskOptions) => {
    const { entries, others } = enteredExample(tasks, optionSchemas, example);
    [texts.value, given.value] = [new Map(), new Map()];
    for (const { field, text } of entries) enter(field, text);
    more.value = Object.keys(others).length > 0 ? JSON.stringify(others) : '';
    filledKeys.value = new Set(entries.map(({ field }) => textKey(field)));
  };
  const isReadable =
    options !== undefined && [...texts.value.keys()].every((key) => isTaken(key, texts.value, given.value));
  if (first === undefined) return <UnplannedNote planned={base} />;
  const plans = planned.plans.value;
  // The options that appear late move the button: a click that was meant for it would hit something else.
  const isReady = isReadable && schemas.value !== undefined && !planned.isPlanning && plans !== undefined;
  const launch = { graph, nodes, options: options ?? NO_OPTIONS, plans, warning, isReady };
  return (
    <>
      {schemas.value === undefined ? (
        <p class="quiet">Loading the options</p>
      ) : (
        <>
          <ExampleChoice graph={graph} choose={fill(first.tasks, schemas.value)} />
          <OptionInputs
            base={first}
            schemas={schemas.value}
            texts={texts.value}
            filledKeys={filledKeys.value}
            node={nodes.length === 1 ? nodes[0]?.id : undefined}
            rejections={plans?.flatMap(({ plan }) => plan.rejections) ?? []}
            enter={enter}
          />
        </>
      )}
      <details>
        <summary>Options as JSON</summary>
        <Field
          label="Options by task label, or defaults for all tasks"
          hint={options === undefined ? 'Found no JSON object of objects' : 'The fields above take precedence'}
        >
          <textarea
            class="code"
            rows={4}
            spellcheck={false}
            placeholder='{ "defaults": { "_taskTimeout": 3600000 } }'
            aria-invalid={options === undefined}
            value={more.value}
            onInput={({ currentTarget }) => {
              more.value = currentTarget.value;
            }}
          />
        </Field>
      </details>
      <h3>Plan</h3>
      {plans === undefined ? <UnplannedNote planned={planned} /> : <PlanList plans={plans} nodes={nodes} />}
      {start === undefined ? <LaunchStart {...launch} /> : start(launch)}
    </>
  );
}

/** @param plan whose tasks have them */
function useSchemas(plan: ShownPlan | undefined): ReadonlySignal<OptionSchemas | undefined> {
  const schemas = useSignal<OptionSchemas | undefined>(undefined);
  useEffect(() => {
    if (plan === undefined) return;
    let isShown = true;
    void readSchemas(plan.tasks.map(({ taskName }) => taskName)).then((optionSchemas) => {
      if (isShown) schemas.value = optionSchemas;
    });
    return () => {
      isShown = false;
    };
  }, [plan?.definitionHash]);
  return schemas;
}
