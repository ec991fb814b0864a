/** The columns of a table, to choose; on a phone, which has no headers, its order too. */
import { useSignal } from '@preact/signals';
import columnsIcon from 'lucide-static/icons/columns-3.svg';
import { Icon } from '../icon.tsx';
import { isNarrow } from '../narrow.ts';
import type { TableOrder } from '../windowed-list.tsx';
import type { ChoosableColumn } from './choosable-column.ts';
import { namesOfChoice, shownColumns } from './table-columns.ts';
import { oppositeSort } from './table-order.ts';

interface TableMenuProps<T> extends TableOrder {
  columns: readonly ChoosableColumn<T>[];
  /** Names with commas; undefined: the usual columns. */
  chosen: string | undefined;
  choose: (names: string | undefined) => void;
}

export function TableMenu<T>({ columns, chosen, choose, sort, sortBy }: TableMenuProps<T>) {
  const isOpen = useSignal(false);
  const close = () => {
    isOpen.value = false;
  };
  const shownNames = new Set(shownColumns(columns, chosen).map(({ name }) => name));
  const toggle = (name: string) => {
    const next = new Set(shownNames);
    if (!next.delete(name)) next.add(name);
    choose(namesOfChoice(columns, next));
  };
  return (
    <details
      class="columns-menu"
      open={isOpen.value}
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape') return;
        close();
        currentTarget.querySelector('summary')?.focus();
      }}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) close();
      }}
    >
      <summary class="button">
        <Icon of={columnsIcon} /> Columns
      </summary>
      <div class="floating" tabIndex={-1}>
        {isNarrow.value && <OrderChoice columns={columns} sort={sort} sortBy={sortBy} />}
        <fieldset>
          <legend>Columns</legend>
          {columns.map(
            ({ name, title, use }) =>
              use !== 'always' && (
                <label key={name}>
                  <input type="checkbox" checked={shownNames.has(name)} onChange={() => toggle(name)} /> {title}
                </label>
              ),
          )}
        </fieldset>
        <button type="button" disabled={chosen === undefined} onClick={() => choose(undefined)}>
          The usual ones
        </button>
      </div>
    </details>
  );
}

function OrderChoice<T>({ columns, sort, sortBy }: Pick<TableMenuProps<T>, 'columns' | 'sort' | 'sortBy'>) {
  const orders = columns.flatMap(({ title, sort: first }) =>
    first === undefined ? [] : [first, oppositeSort(first)].map((order) => ({ order, title })),
  );
  return (
    <label class="field">
      <span>Order</span>
      <select value={sort} onChange={({ currentTarget }) => sortBy(currentTarget.value)}>
        {orders.map(({ order, title }) => (
          <option key={order} value={order}>
            {title} {order.startsWith('-') ? '↓' : '↑'}
          </option>
        ))}
      </select>
    </label>
  );
}
