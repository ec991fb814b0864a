/**
 * A list of any length as a table, which scrolls with the page: only the rows in view are in the document, so ten thousand
 * scroll smoothly. Assistive technology gets the number of rows and the position of each. In a narrow window each row is a
 * card.
 */
import descendingIcon from 'lucide-static/icons/arrow-down.svg';
import ascendingIcon from 'lucide-static/icons/arrow-up.svg';
import { useMemo, useRef } from 'preact/hooks';
import type { GridColumn } from './data-table.tsx';
import { Icon } from './icon.tsx';
import { isNarrow } from './narrow.ts';
import { leastWidth } from './table/least-width.ts';
import { rowEdges, rowsInView } from './table/rows-in-view.ts';
import { directionOf, nextSort } from './table/table-order.ts';
import { useListView } from './table/use-list-view.ts';

export interface WindowedColumn<T> extends GridColumn<T> {
  /** Width of the table column: a share such as `30%`, or a measure such as `7rem`, which no window makes narrower. */
  width: string;
  /** Gets the room that the other columns leave. */
  grows?: true;
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
  /** px of the card of a row; absent: all have the same height. */
  cardHeight?: (row: T) => number;
}

/** px */
const ROW = 32;
const CARD = 80;

export function WindowedList<T>({ label, rows, columns, keyOf, empty, order, cardHeight }: WindowedListProps<T>) {
  const list = useRef<HTMLElement>(null);
  const { top, height, isWider } = useListView(list, rows.length > 0);
  const heightOf = (row: T) => (isNarrow.value ? (cardHeight?.(row) ?? CARD) : ROW);
  const edges = useMemo(() => rowEdges(rows, heightOf), [rows, isNarrow.value]);
  if (rows.length === 0) return <p class="quiet">{empty}</p>;
  const { first, end, above, below } = rowsInView(edges, top.value, height.value);
  return (
    <section
      class={`windowed ${isWider.value ? 'wider' : ''}`}
      aria-label={label}
      ref={list}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide one scrolls sideways, also by keys.
      tabIndex={0}
    >
      <table aria-rowcount={rows.length + 1} style={{ '--least-width': leastWidth(columns) }}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <ColumnHeader key={column.title} column={column} order={order} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Space height={above} />
          {rows.slice(first, end).map((row, index) => (
            <tr key={keyOf(row)} aria-rowindex={first + index + 2} style={{ '--row-height': `${heightOf(row)}px` }}>
              {columns.map(({ title, cell, card }) => (
                <td key={title} class={`card-${card}`}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
          <Space height={below} />
        </tbody>
      </table>
    </section>
  );
}

function ColumnHeader<T>({ column, order }: { column: WindowedColumn<T>; order: TableOrder | undefined }) {
  const { title, width, grows, card, sort: first } = column;
  const direction = order && directionOf(first, order.sort);
  return (
    <th scope="col" class={`card-${card}`} style={{ width: grows ? undefined : width }} aria-sort={direction}>
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
