/** The choice of one node, by its name or an identifier; empty: a launch without a node. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { client } from '../../data/daemon-client.ts';
import type { LaunchNode } from '../../data/launch-node.ts';
import { Field } from '../field.tsx';

/** ms without a change. */
const TYPING_MS = 300;

/** `none`: the field is empty. */
export type ChosenNode = 'none' | 'looking' | 'unknown' | LaunchNode;

interface NodeChoiceProps {
  choose: (node: ChosenNode) => void;
  /** The meaning of an empty field. */
  none?: string;
}

export function NodeChoice({ choose, none = 'Empty: without a node' }: NodeChoiceProps) {
  const text = useSignal('');
  const nodeChoice = useSignal<ChosenNode>('none');
  useEffect(() => {
    const wanted = text.value.trim();
    const set = (node: ChosenNode) => {
      nodeChoice.value = node;
      choose(node);
    };
    set(wanted === '' ? 'none' : 'looking');
    if (wanted === '') return;
    let isWanted = true;
    const look = async () => {
      const node = await nodeCalled(wanted).catch(() => undefined);
      if (isWanted) set(node ?? 'unknown');
    };
    const timer = setTimeout(() => void look(), TYPING_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [text.value]);
  return (
    <Field label="Node: name, id, MAC or IP" hint={nodeChoice.value === 'none' ? none : hintOf(nodeChoice.value)}>
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

function hintOf(nodeChoice: Exclude<ChosenNode, 'none'>): string {
  if (nodeChoice === 'looking') return 'Looking';
  if (nodeChoice === 'unknown') return 'No node has this name or identifier, or several have it';
  return `${nodeChoice.name} (${nodeChoice.id})`;
}

/** By a name that only one node has, else by an identifier. */
export async function nodeCalled(text: string): Promise<LaunchNode | undefined> {
  const query = { 'name.prefix': text, fields: 'id,name,sku', sort: 'name', $top: 2 };
  const [first, second] = (await client.get('/nodes', { query })).body;
  if (first?.name === text && second?.name !== text) return first;
  return (await client.get('/nodes/:identifier', { params: { identifier: text } })).body;
}

/** The node, if one is chosen. */
export const chosenNode = (chosen: ChosenNode): LaunchNode | undefined =>
  typeof chosen === 'object' ? chosen : undefined;
