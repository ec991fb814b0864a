/** The choice of one node, by its name or an identifier; empty: a launch without a node. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { client } from '../../data/daemon-client.ts';
import type { LaunchNode } from '../../data/planned.ts';
import { Field } from '../field.tsx';

/** ms without a change. */
const TYPING_MS = 300;

type Meaning = 'none' | 'looking' | 'unknown' | LaunchNode;

export function NodeChoice({ choose }: { choose: (node: LaunchNode | undefined) => void }) {
  const text = useSignal('');
  const found = useSignal<Meaning>('none');
  useEffect(() => {
    const wanted = text.value.trim();
    choose(undefined);
    found.value = wanted === '' ? 'none' : 'looking';
    if (wanted === '') return;
    let isWanted = true;
    const look = async () => {
      const node = await nodeCalled(wanted).catch(() => undefined);
      if (!isWanted) return;
      found.value = node ?? 'unknown';
      choose(node);
    };
    const timer = setTimeout(() => void look(), TYPING_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [text.value]);
  return (
    <Field label="Node: name, id, MAC or IP" hint={hintOf(found.value)}>
      <input
        autoComplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
        }}
      />
    </Field>
  );
}

function hintOf(found: Meaning): string {
  if (found === 'none') return 'Empty: without a node';
  if (found === 'looking') return 'Looking';
  if (found === 'unknown') return 'No node, or several, are called so: the launch would have no node';
  return `${found.name} (${found.id})`;
}

/** By a name that only one node has, else by an identifier. */
async function nodeCalled(text: string): Promise<LaunchNode | undefined> {
  const query = { 'name.prefix': text, fields: 'id,name,sku', sort: 'name', $top: 2 };
  const [first, second] = (await client.get('/nodes', { query })).body;
  if (first?.name === text && second?.name !== text) return first;
  return (await client.get('/nodes/:identifier', { params: { identifier: text } })).body;
}
