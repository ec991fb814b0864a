/** The selection of nodes, and what can be done with all of them. */
import { useSignal } from '@preact/signals';
import { client } from '../../data/daemon-client.ts';
import type { ListedNode } from '../../data/listed-node.ts';
import { listedNode, rereadNodes } from '../../data/node-list.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { LaunchOnChoice } from '../../parts/launch/launch-on-choice.tsx';
import type { ChosenRows } from '../../parts/table/row-choice.tsx';
import '../../styles/launch.css';

interface SelectionBarProps {
  /** By the filters. */
  shown: readonly ListedNode[];
  selected: ChosenRows;
}

export function SelectionBar({ shown, selected }: SelectionBarProps) {
  // Nodes that were deleted in the meantime are left out.
  const nodes = [...selected.value].map(listedNode).filter((node) => node !== undefined);
  const select = (ids: readonly string[]) => {
    selected.value = new Set(ids);
  };
  return (
    <>
      {nodes.length < shown.length && (
        <button type="button" onClick={() => select(shown.map(({ id }) => id))}>
          Select all {shown.length}
        </button>
      )}
      {nodes.length > 0 && <SelectedActions nodes={nodes} deselect={() => select([])} />}
    </>
  );
}

function SelectedActions({ nodes, deselect }: { nodes: readonly ListedNode[]; deselect: () => void }) {
  const tag = useSignal('');
  return (
    <>
      <LaunchOnChoice nodes={nodes} deselect={deselect} />
      <input
        aria-label="Tag for the selected nodes"
        placeholder="tag"
        autoComplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => {
          tag.value = currentTarget.value.trim();
        }}
      />
      <ActionButton disabled={tag.value === ''} run={() => tagAll(nodes, tag.value)}>
        Add tag
      </ActionButton>
      <ActionButton disabled={tag.value === ''} run={() => untagAll(nodes, tag.value)}>
        Remove tag
      </ActionButton>
    </>
  );
}

const CONCURRENT_CHANGES = 6;

/** @throws RequestError of the first node that rejects; the nodes after it are left as they are */
async function onEach(nodes: readonly ListedNode[], change: (id: string) => Promise<unknown>): Promise<void> {
  try {
    for (let first = 0; first < nodes.length; first += CONCURRENT_CHANGES)
      await Promise.all(nodes.slice(first, first + CONCURRENT_CHANGES).map(({ id }) => change(id)));
  } finally {
    await rereadNodes(nodes.map(({ id }) => id));
  }
}

const tagAll = (nodes: readonly ListedNode[], tag: string) =>
  onEach(
    nodes.filter(({ tags }) => !tags.includes(tag)),
    (identifier) => client.patch('/nodes/:identifier/tags', { params: { identifier }, body: { tags: [tag] } }),
  );

const untagAll = (nodes: readonly ListedNode[], tag: string) =>
  onEach(
    nodes.filter(({ tags }) => tags.includes(tag)),
    (identifier) => client.remove('/nodes/:identifier/tags/:tag', { params: { identifier, tag } }),
  );
