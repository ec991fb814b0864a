/** The launch of a graph that is chosen: its options, its plan beside them, and the start. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { TaskOption, TaskOptions } from '../../../client/launch-options.ts';
import { enteredExample } from '../../../client/option-examples.ts';
import type { OptionField, OptionSchemas } from '../../../client/option-fields.ts';
import type { ShownPlan } from '../../../client/shown-plan.ts';
import type { LaunchNode } from '../../data/launch-node.ts';
import { readSchemas, usePlans } from '../../data/plan-data.ts';
import { enteredOptions, isTaken, type OptionTexts, textKey, withOption } from './entered-options.ts';
import { ExampleChoice, useExamples } from './example-choice.tsx';
import { launchReason } from './launch-reason.ts';
import { LaunchStart, type LaunchStartProps } from './launch-start.tsx';
import { OptionInputs } from './option-inputs.tsx';
import { PlanSide } from './plan-side.tsx';

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
  const examples = useExamples(graph);
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
  const plans = planned.plans.value;
  const areFieldsReady = schemas.value !== undefined && examples.value !== undefined;
  // The options that appear late move the form: a click that was meant for it would hit something else.
  const isReady = isReadable && areFieldsReady && !planned.isPlanning && plans !== undefined;
  const reason = launchReason({ nodes, plans, isReadable, isReady });
  const launch = { graph, nodes, options: options ?? NO_OPTIONS, plans, warning, isReady, reason };
  return (
    <>
      <div class="options-side">
        {first === undefined || schemas.value === undefined || examples.value === undefined ? (
          base.problem.value === undefined && <p class="quiet">Loading the options</p>
        ) : (
          <>
            <ExampleChoice examples={examples.value} choose={fill(first.tasks, schemas.value)} />
            <OptionInputs
              base={first}
              schemas={schemas.value}
              examples={examples.value}
              texts={texts.value}
              filledKeys={filledKeys.value}
              nodes={nodes}
              rejections={plans?.flatMap(({ plan }) => plan.rejections) ?? []}
              enter={enter}
              json={{
                text: more.value,
                isReadable: options !== undefined,
                enter: (text) => {
                  more.value = text;
                },
              }}
            />
          </>
        )}
      </div>
      <PlanSide planned={planned} nodes={nodes} />
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
