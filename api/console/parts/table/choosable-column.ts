/** A column that the reader of a table may show or hide. */
import type { WindowedColumn } from '../windowed-list.tsx';
import type { ColumnUse } from './table-columns.ts';

export type ChoosableColumn<T> = WindowedColumn<T> & ColumnUse;
