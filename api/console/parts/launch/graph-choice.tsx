/** The choice of a graph, by a part of its name. */
import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { Field } from '../field.tsx';
import { Problem } from '../problem.tsx';

interface GraphChoiceProps {
  /** '': none. */
  value: string;
  /** Called with the name of a graph, or with '' until the text is one. */
  choose: (name: string) => void;
}

export function GraphChoice({ value, choose }: GraphChoiceProps) {
  const id = useId();
  const { value: graphList, problem } = useLive('graph-choice', readGraphs);
  const graphs = graphList.value ?? [];
  const text = useSignal(value);
  const name = graphs.find((one) => [one.injectableName, one.friendlyName].includes(text.value))?.injectableName ?? '';
  const chosen = text.value === value ? value : name;
  const reported = useRef(value);
  // Also when the text was there before the graphs.
  useEffect(() => {
    if (graphList.value === undefined || reported.current === chosen) return;
    reported.current = chosen;
    choose(chosen);
  }, [chosen, graphList.value]);
  return (
    <>
      <Field
        label="Graph"
        hint={graphList.value === undefined ? 'Loading the graphs' : `One of ${graphs.length} graphs`}
      >
        <input
          list={id}
          defaultValue={value}
          required
          autoComplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value.trim();
          }}
        />
      </Field>
      <datalist id={id}>
        {graphs.map(({ injectableName, friendlyName }) => (
          <option key={injectableName} value={injectableName}>
            {friendlyName}
          </option>
        ))}
      </datalist>
      <Problem error={problem.value} />
    </>
  );
}

const readGraphs = async () =>
  (await client.get('/workflows/graphs', { query: { $top: 1_000 } })).body as {
    injectableName: string;
    friendlyName: string;
  }[];
