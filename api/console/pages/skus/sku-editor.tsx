/** Creates a SKU or changes it, with what that would change beside the fields. */
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { client } from '../../data/daemon-client.ts';
import type { ShownSku } from '../../data/sku-records.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Field } from '../../parts/field.tsx';
import { type EditedRule, editedRules, emptyRule, finishedRules } from './edited-rules.ts';
import { RuleLines } from './rule-lines.tsx';
import { WhatIf } from './what-if.tsx';

interface SkuEditorProps {
  /** undefined: a new one. */
  sku: ShownSku | undefined;
  skus: readonly ShownSku[];
  /** Reads the SKUs again. */
  reload: () => void;
}

export function SkuEditor({ sku, skus, reload }: SkuEditorProps) {
  const { route } = useLocation();
  const name = useSignal(sku?.name ?? '');
  const graph = useSignal(sku?.discoveryGraphName ?? '');
  const lines = useSignal<readonly EditedRule[]>(sku === undefined ? [emptyRule()] : editedRules(sku.rules));
  const rules = finishedRules(lines.value);
  const save = async () => {
    const discoveryGraphName = graph.value === '' ? null : graph.value;
    const body = { name: name.value, rules, discoveryGraphName };
    if (sku === undefined) {
      const { body: createdSku } = await client.post('/skus', { body });
      reload();
      route(`/ui/skus/${encodeURIComponent(createdSku.id)}`);
    } else {
      await client.patch('/skus/:id', { params: { id: sku.id }, body });
      reload();
      route(`/ui/skus/${encodeURIComponent(sku.id)}`);
    }
  };
  return (
    <div class="sku-editor">
      <div>
        <Field label="Name">
          <input
            value={name.value}
            autoComplete="off"
            onInput={({ currentTarget }) => {
              name.value = currentTarget.value;
            }}
          />
        </Field>
        <RuleLines
          rules={lines.value}
          change={(changed) => {
            lines.value = changed;
          }}
        />
        <Field label="Graph of the discovery" hint="Runs on a node that is discovered with this SKU; empty: none">
          <input
            value={graph.value}
            autoComplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => {
              graph.value = currentTarget.value.trim();
            }}
          />
        </Field>
        <ActionButton kind="main" run={save} disabled={name.value.trim() === '' || rules.length === 0}>
          {sku === undefined ? 'Create, and classify all nodes' : 'Save, and classify all nodes'}
        </ActionButton>
      </div>
      <WhatIf
        id={sku?.id ?? ''}
        rules={rules}
        ranks={new Map(skus.map((one) => [one.id, { ...one, rules: one.rules.length }]))}
        names={new Map(skus.map((one) => [one.id, one.name]))}
      />
    </div>
  );
}
