/** The beginning of a run: the graph, the node, the options. */
import { useSignal } from '@preact/signals';
import { Field } from '../../parts/field.tsx';
import { Form, fieldText } from '../../parts/form.tsx';
import { GraphChoice } from '../../parts/launch/graph-choice.tsx';
import { nodeCalled } from '../../parts/launch/node-choice.tsx';
import type { PlayableRun } from './simulated-run.ts';

interface RunSetupProps {
  run: PlayableRun;
  begin: (run: PlayableRun) => void;
}

export function RunSetup(props: RunSetupProps) {
  const { graph, node, options } = props.run;
  // Another run, such as one of an address, has other values in its fields.
  return <SetupForm key={JSON.stringify([graph, node, options])} {...props} />;
}

const kinds = { blank: 'a node without a recording', recorded: 'a node of this daemon', none: 'no node' };
type NodeKind = keyof typeof kinds;

function SetupForm({ run, begin }: RunSetupProps) {
  const graph = useSignal(run.graph);
  const kind = useSignal<NodeKind>(run.node === undefined ? 'blank' : run.node === null ? 'none' : 'recorded');
  const submit = async (form: FormData) => {
    if (graph.value === '') throw new Error('found no graph with this name, expected one of the list');
    const options = optionsIn(fieldText(form, 'options'));
    const node = kind.value === 'recorded' ? await recordedNode(fieldText(form, 'node') ?? '') : null;
    begin({
      graph: graph.value,
      moves: [],
      ...(kind.value !== 'blank' && { node }),
      ...(options !== undefined && { options }),
    });
  };
  return (
    <Form action={run.graph === '' ? 'Start' : 'Start over'} submit={submit}>
      <GraphChoice
        value={run.graph}
        choose={(name) => {
          graph.value = name;
        }}
      />
      <div class="filters wide">
        <Field label="On">
          <select
            value={kind.value}
            onChange={({ currentTarget }) => {
              kind.value = currentTarget.value as NodeKind;
            }}
          >
            {Object.entries(kinds).map(([name, title]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </Field>
        {kind.value === 'recorded' && (
          <Field label="Node" hint="name, id, MAC or IP; its records are used, without secrets">
            <input name="node" required autoComplete="off" defaultValue={run.node ?? ''} />
          </Field>
        )}
      </div>
      <details open={run.options !== undefined}>
        <summary>Options of the launch</summary>
        <Field label="Options, by label, as JSON" hint="Empty: those of the graph's first example">
          <textarea
            name="options"
            rows={4}
            spellcheck={false}
            defaultValue={run.options === undefined ? '' : JSON.stringify(run.options, null, 2)}
          />
        </Field>
      </details>
    </Form>
  );
}

/** @throws Error */
function optionsIn(text: string | undefined): PlayableRun['options'] {
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as PlayableRun['options'];
  throw new Error('found options that are no object, expected one with the labels');
}

/** The id of a node. @throws RequestError */
const recordedNode = async (text: string): Promise<string | null> => (await nodeCalled(text.trim()))?.id ?? null;
