/** A graph as JSON: typed or from a file, checked before it is put. */
import { useSignal } from '@preact/signals';
import { client } from '../../data/daemon-client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Field } from '../../parts/field.tsx';
import { GraphFindings, type ShownGraphFindings } from '../../parts/graph-findings.tsx';
import { exampleGraph } from './example-graph.ts';
import { jsonProblem } from './json-problem.ts';
import '../../styles/graphs.css';

/** Characters of a file; larger graphs are put by `nw graph put`. */
const LARGEST = 2_000_000;

interface GraphEditorProps {
  /** The definition to change; absent: a new one. */
  definition?: object;
  done: (name: string) => void;
}

export function GraphEditor({ definition = exampleGraph, done }: GraphEditorProps) {
  const text = useSignal(JSON.stringify(definition, null, 2));
  const findings = useSignal<ShownGraphFindings | undefined>(undefined);
  const enter = (entered: string) => {
    [text.value, findings.value] = [entered, undefined];
  };
  const wrong = jsonProblem(text.value);
  const check = async () => {
    findings.value = (await client.post('/workflows/graphs/check', { body: JSON.parse(text.value) })).body;
  };
  const put = async () => {
    const { body } = await client.put('/workflows/graphs', { body: JSON.parse(text.value) });
    done(body.injectableName);
  };
  return (
    <div class="editor">
      <Field label="Definition" hint={wrong}>
        <textarea
          rows={18}
          spellcheck={false}
          aria-invalid={wrong !== undefined}
          value={text.value}
          onInput={({ currentTarget }) => enter(currentTarget.value)}
        />
      </Field>
      <Field label="From a file">
        <input
          type="file"
          accept=".json,application/json"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file !== undefined) void file.slice(0, LARGEST).text().then(enter);
          }}
        />
      </Field>
      <div class="actions">
        <ActionButton run={check} disabled={wrong !== undefined}>
          Check
        </ActionButton>
        <ActionButton kind="main" run={put} disabled={findings.value?.ok !== true}>
          Put
        </ActionButton>
        {findings.value === undefined && <span class="quiet">Check it first.</span>}
      </div>
      {findings.value !== undefined && <GraphFindings findings={findings.value} />}
    </div>
  );
}
