/** Tables of few and of many rows, sorted, chosen and empty. */
import { useSignal } from '@preact/signals';
import { DataTable } from '../../parts/data-table.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { choiceColumn } from '../../parts/table/row-choice.tsx';
import { WindowedList } from '../../parts/windowed-list.tsx';

interface Sample {
  id: string;
  state: string;
  size: number;
}

const samples: readonly Sample[] = ['succeeded', 'running', 'failed'].map((state, index) => ({
  id: `r01s0${index + 1}`,
  state,
  size: 10 ** (index + 1),
}));

const keyOf = ({ id }: Sample): string => id;

export function TableParts() {
  const chosen = useSignal<ReadonlySet<string>>(new Set(['r01s02']));
  const sort = useSignal('name');
  const sortBy = (order: string) => {
    sort.value = order;
  };
  const columns = [
    { title: 'name', cell: keyOf },
    { title: 'state', cell: ({ state }: Sample) => <StatePill of={state} /> },
    { title: 'size', isNumber: true as const, cell: ({ size }: Sample) => size },
  ];
  return (
    <>
      <DataTable label="Few rows" rows={samples} keyOf={keyOf} empty="" columns={columns} />
      <DataTable
        label="No rows"
        rows={[]}
        keyOf={keyOf}
        empty="A sentence that says what would be here."
        columns={columns}
      />
      <h3>Many rows</h3>
      <WindowedList
        label="Many rows"
        rows={samples}
        keyOf={keyOf}
        empty=""
        order={{ sort: sort.value, sortBy }}
        columns={[
          choiceColumn<Sample>(chosen, samples, keyOf),
          { title: 'name', width: '12rem', card: 'name', sort: 'name', cell: keyOf },
          {
            title: 'state',
            width: '9rem',
            card: 'state',
            sort: 'state',
            cell: ({ state }) => <StatePill of={state} />,
          },
          { title: 'size', width: '6rem', card: 'fact', cell: ({ size }) => size },
        ]}
      />
    </>
  );
}
