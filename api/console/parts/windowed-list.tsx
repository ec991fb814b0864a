/**
 * A list of any length as a table: only the rows in view are in the document, so ten thousand scroll smoothly. All rows have
 * one height. Assistive technology gets the number of rows and the position of each. In a narrow window each row is a card.
 */
import { useSignal } from '@preact/signals';
import descendingIcon from 'lucide-static/icons/arrow-down.svg';
import ascendingIcon from 'lucide-static/icons/arrow-up.svg';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { GridColumn } from './data-table.tsx';
import { Icon } from './icon.tsx';
import { isNarrow } from './narrow.ts';
import { directionOf, nextSort } from './table/table-order.ts';

export interface WindowedColumn<T> extends GridColumn<T> {
  /** Width of the table column, such as `30%`. */
  width: string;
  /** Its place in a card: above, with the name; in a line of its own; or with the facts below. */
  card: 'check' | 'name' | 'state' | 'line' | 'fact' | 'none';
  /** The order of the rows after a click on its header, such as `-createdAt`; absent: rows cannot be sorted by it. */
  sort?: string;
}

export interface TableOrder {
  sort: string;
  sortBy: (sort: string) => void;
}

interface WindowedListProps<T> {
  label: string;
  rows: readonly T[];
  columns: readonly WindowedColumn<T>[];
  keyOf: (row: T) => string;
  empty: string;
  /** Absent: the order is fixed. */
  order?: TableOrder;
}

/** px; as in `lists.css`. */
const ROW = 32;
const CARD = 80;
/** Rows above and below the view. */
const MARGIN = 6;

export function WindowedList<T>({ label, rows, columns, keyOf, empty, order }: WindowedListProps<T>) {
  const view = useRef<HTMLElement>(null);
  const top = useSignal(0);
  const height = useSignal(600);
  useLayoutEffect(() => {
    const element = view.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [rows.length === 0]);
  if (rows.length === 0) return <p class="quiet">{empty}</p>;
  const rowHeight = isNarrow.value ? CARD : ROW;
  const last = Math.min(rows.length, Math.ceil((top.value + height.value) / rowHeight) + MARGIN);
  const first = Math.max(0, Math.min(Math.floor(top.value / rowHeight) - MARGIN, last - 1));
  return (
    <section
      class="windowed"
      aria-label={label}
      ref={view}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys.
      tabIndex={0}
      onScroll={({ currentTarget }) => {
        top.value = currentTarget.scrollTop;
      }}
    >
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <ColumnHeader key={column.title} column={column} order={order} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Space height={first * rowHeight} />
          {rows.slice(first, last).map((row, index) => (
            <tr key={keyOf(row)} aria-rowindex={first + index + 2}>
              {columns.map(({ title, cell, card }) => (
                <td key={title} class={`card-${card}`}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
          <Space height={(rows.length - last) * rowHeight} />
        </tbody>
      </table>
    </section>
  );
}

function ColumnHeader<T>({ column, order }: { column: WindowedColumn<T>; order: TableOrder | undefined }) {
  const { title, width, card, sort: first } = column;
  const direction = order && directionOf(first, order.sort);
  return (
    <th scope="col" class={`card-${card}`} style={{ width }} aria-sort={direction}>
      {order === undefined || first === undefined || isNarrow.value ? (
        title
      ) : (
        <button type="button" onClick={() => order.sortBy(nextSort(first, order.sort))}>
          {title}
          {direction !== undefined && <Icon of={direction === 'ascending' ? ascendingIcon : descendingIcon} />}
        </button>
      )}
    </th>
  );
}

/** Instead of rows that are not in view. */
const Space = ({ height }: { height: number }) => (
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: an empty row is not focusable.
  <tr aria-hidden="true" style={{ height: `${height}px` }} />
);
