/** The filters of the list of nodes. */
import { healthStates } from '../../../../engine/vocabulary/states.ts';
import { MoreFields } from '../../parts/more-fields.tsx';
import type { FilterChoices, NodeFilter } from './node-filter.ts';

interface FilterFieldsProps {
  filter: NodeFilter;
  choices: FilterChoices;
  skuNames: ReadonlyMap<string, string>;
  change: (changed: Partial<NodeFilter>) => void;
}

export function FilterFields({ filter, choices: { tags, types }, skuNames, change }: FilterFieldsProps) {
  const words = (list: readonly string[]) => list.map((word): [string, string] => [word, word]);
  return (
    <search class="filters">
      <label class="wide">
        <span>Name, id or MAC</span>
        <input type="search" value={filter.q} onInput={({ currentTarget }) => change({ q: currentTarget.value })} />
      </label>
      <MoreFields
        used={
          [filter.tag, filter.sku, filter.type, filter.state, filter.health, filter.held, filter.obm].filter(Boolean)
            .length
        }
      >
        <Select title="Tag" value={filter.tag} choices={words(tags)} choose={(tag) => change({ tag })} />
        <Select
          title="SKU"
          value={filter.sku}
          choices={[['none', 'without a SKU'], ...skuNames]}
          choose={(sku) => change({ sku })}
        />
        <Select title="Type" value={filter.type} choices={words(types)} choose={(type) => change({ type })} />
        <Select
          title="State"
          value={filter.state}
          choices={words(['busy', 'free'])}
          choose={(state) => change({ state: state as NodeFilter['state'] })}
        />
        <Select
          title="Health"
          value={filter.health}
          choices={words(healthStates)}
          choose={(health) => change({ health: health as NodeFilter['health'] })}
        />
        <Select
          title="Holds"
          value={filter.held}
          choices={[['held', 'with a hold']]}
          choose={(held) => change({ held: held as NodeFilter['held'] })}
        />
        <Select
          title="BMC access"
          value={filter.obm}
          choices={words(['missing'])}
          choose={(obm) => change({ obm: obm as NodeFilter['obm'] })}
        />
        <Select
          title="Sorted by"
          value={filter.sort}
          none="name"
          choices={sortTitles}
          choose={(sort) => change({ sort: sort as NodeFilter['sort'] })}
        />
      </MoreFields>
    </search>
  );
}

const sortTitles = [
  ['-name', 'name, descending'],
  ['-updated', 'last updated first'],
  ['updated', 'first updated first'],
] as const;

interface SelectProps {
  title: string;
  value: string;
  choices: readonly (readonly [value: string, text: string])[];
  choose: (value: string) => void;
  /** Without a value; absent: any. */
  none?: string;
}

function Select({ title, value, choices, choose, none = 'any' }: SelectProps) {
  const isKnown = value === '' || choices.some(([one]) => one === value);
  return (
    <label>
      <span>{title}</span>
      <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="">{none}</option>
        {!isKnown && <option value={value}>{value}</option>}
        {choices.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
