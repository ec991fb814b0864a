/**
 * A launch in the order of its decisions: the graph, its options, the plan that the daemon makes of them, the start. What
 * is destroyed must be named before.
 */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type TaskOption, type TaskOptions, taskOptionsOf } from '../../../client/launch-options.ts';
import { enteredValue, type OptionField, type OptionSchemas, optionsOfText } from '../../../client/option-fields.ts';
import { isDestructive, type ShownPlan } from '../../../client/shown-plan.ts';
import { mayOperate } from '../../data/current-user.ts';
import { type LaunchNode, type LivePlans, type PlanOfNode, readSchemas, usePlans } from '../../data/planned.ts';
import { Field } from '../field.tsx';
import { Problem } from '../problem.tsx';
import { GraphChoice } from './graph-choice.tsx';
import { LaunchStart } from './launch-start.tsx';
import { type ChosenNode, chosenNode, NodeChoice } from './node-choice.tsx';
import { OptionInputs, type OptionTexts, textKey } from './option-inputs.tsx';
import { PlanTable } from './plan-table.tsx';
import '../../styles/launch.css';

export interface LaunchFormProps {
  /** Absent: it is chosen first. */
  graph?: string;
  /** Absent: one node is chosen, or none. */
  nodes?: readonly LaunchNode[];
  /** Must be confirmed like a destructive graph, although the graph erases nothing. */
  warning?: string;
}

export function LaunchForm({ graph: given, nodes, warning }: LaunchFormProps) {
  const graph = useSignal(given ?? '');
  const chosen = useSignal<ChosenNode>('none');
  if (!mayOperate.value) return <p class="quiet">Your role may not start workflows.</p>;
  const node = chosenNode(chosen.value);
  const targets = nodes ?? (node === undefined ? [] : [node]);
  const isChosen = graph.value !== '' && (nodes !== undefined || chosen.value === 'none' || node !== undefined);
  return (
    <div class="launch">
      {given === undefined ? (
        <GraphChoice
          value={graph.value}
          choose={(name) => {
            graph.value = name;
          }}
        />
      ) : null}
      {nodes === undefined ? (
        <NodeChoice
          choose={(found) => {
            chosen.value = found;
          }}
        />
      ) : null}
      {isChosen && <GraphLaunch key={graph.value} graph={graph.value} nodes={targets} warning={warning} />}
    </div>
  );
}

interface GraphLaunchProps {
  graph: string;
  nodes: readonly LaunchNode[];
  warning: string | undefined;
}

const NO_OPTIONS: TaskOptions = {};

function GraphLaunch({ graph, nodes, warning }: GraphLaunchProps) {
  const texts = useSignal<OptionTexts>(new Map());
  const given = useSignal<ReadonlyMap<string, TaskOption>>(new Map());
  const more = useSignal('');
  const base = usePlans(graph, nodes.slice(0, 1), NO_OPTIONS);
  const first = base.plans.value?.[0]?.plan;
  const schemas = useSchemas(first);
  const options = entered([...given.value.values()], more.value);
  const planned = usePlans(graph, nodes, options);
  const enter = (field: OptionField, text: string) => {
    texts.value = new Map(texts.value).set(textKey(field), text);
    given.value = withOption(given.value, field, text);
  };
  const isReadable =
    options !== undefined && [...texts.value.keys()].every((key) => isTaken(key, texts.value, given.value));
  if (first === undefined) return <Unplanned planned={base} />;
  const plans = planned.plans.value;
  return (
    <>
      {schemas.value === undefined ? (
        <p class="quiet">Loading the options</p>
      ) : (
        <OptionInputs
          base={first}
          schemas={schemas.value}
          texts={texts.value}
          refusals={plans?.flatMap(({ plan }) => plan.refusals) ?? []}
          enter={enter}
        />
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
            onInput={({ currentTarget }) => {
              more.value = currentTarget.value;
            }}
          />
        </Field>
      </details>
      <h3>Plan</h3>
      {plans === undefined ? <Unplanned planned={planned} /> : <Plans plans={plans} count={nodes.length} />}
      <LaunchStart
        graph={graph}
        nodes={nodes}
        options={options ?? NO_OPTIONS}
        plans={plans}
        warning={warning}
        isReady={isReadable && !planned.isPlanning.value && plans !== undefined}
      />
    </>
  );
}

function Unplanned({ planned: { problem } }: { planned: LivePlans }) {
  return problem.value === undefined ? <p class="quiet">Planning</p> : <Problem error={problem.value} />;
}

function Plans({ plans: [first, ...others], count }: { plans: readonly PlanOfNode[]; count: number }) {
  const planned = others.length + 1;
  return (
    <>
      {count > planned && (
        <p class="quiet">
          {planned === 1 ? 'The plan of one node' : `The plans of ${planned} nodes`}, one for each SKU, of {count}{' '}
          nodes. A node that is refused spoils nothing for the others.
        </p>
      )}
      {first !== undefined && <PlanTable plan={first.plan} target={targetOf(first)} />}
      {others.map((other) => (
        <details key={other.node?.id} open={other.plan.refusals.length > 0}>
          <summary>
            Plan {targetOf(other)}
            {isDestructive(other.plan) && <strong class="destructive">, destructive</strong>}
          </summary>
          <PlanTable plan={other.plan} target={targetOf(other)} />
        </details>
      ))}
    </>
  );
}

const targetOf = ({ node }: PlanOfNode): string => (node === undefined ? 'without a node' : `on ${node.name}`);

/** @param plan whose tasks have them */
function useSchemas(plan: ShownPlan | undefined): ReadonlySignal<OptionSchemas | undefined> {
  const schemas = useSignal<OptionSchemas | undefined>(undefined);
  useEffect(() => {
    if (plan === undefined) return;
    let isShown = true;
    void readSchemas(plan.tasks.map(({ taskName }) => taskName)).then((found) => {
      if (isShown) schemas.value = found;
    });
    return () => {
      isShown = false;
    };
  }, [plan?.definitionHash]);
  return schemas;
}

/** A text that cannot be read leaves no option; an empty one means the graph's own value. */
function withOption(
  given: ReadonlyMap<string, TaskOption>,
  field: OptionField,
  text: string,
): ReadonlyMap<string, TaskOption> {
  const next = new Map(given);
  const { target: label, key, schema } = field;
  next.delete(textKey(field));
  try {
    if (text !== '') next.set(textKey(field), { label, key, value: enteredValue(schema, text) });
  } catch {
    // The field says so.
  }
  return next;
}

const isTaken = (key: string, texts: OptionTexts, given: ReadonlyMap<string, unknown>): boolean =>
  texts.get(key) === '' || given.has(key);

/** @returns undefined: the text is no options */
function entered(given: readonly TaskOption[], more: string): TaskOptions | undefined {
  try {
    const typed = more.trim() === '' ? {} : optionsOfText(more);
    const before = Object.entries(typed).flatMap(([label, values]) =>
      Object.entries(values).map(([key, value]) => ({ label, key, value })),
    );
    return taskOptionsOf([...before, ...given]);
  } catch {
    return undefined;
  }
}
