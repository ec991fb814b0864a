/** A new schedule: a launch with due times, which takes the last step of its form. Also new due times of a schedule. */
import type { GetAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Form, fieldText } from '../../parts/form.tsx';
import { LaunchForm } from '../../parts/launch/launch-form.tsx';
import type { LaunchStartProps } from '../../parts/launch/launch-start.tsx';
import { requestedFilter } from '../../parts/node-filter/node-filter.ts';
import { DueTimeFields, timesIn } from './due-time-fields.tsx';

interface FormEnds {
  done: () => void;
  cancel: () => void;
}

export const ScheduleCreation = ({ done, cancel }: FormEnds) => (
  <LaunchForm
    start={(launch, filter) => (
      <ScheduleStart launch={launch} filter={filter && requestedFilter(filter)} done={done} cancel={cancel} />
    )}
  />
);

interface ScheduleStartProps extends FormEnds {
  launch: LaunchStartProps;
  /** As requests have it; undefined: the nodes of the launch are meant. */
  filter: Record<string, string | boolean> | undefined;
}

function ScheduleStart({ launch, filter, done, cancel }: ScheduleStartProps) {
  const { graph, nodes, options, isReady } = launch;
  const submit = async (form: FormData) => {
    if (!isReady) throw new Error('The plan is not complete: wait for it, and correct the options that cannot be read');
    if (nodes.length === 0) throw new Error('Choose the nodes: a schedule does not launch without one');
    const isAnew = filter !== undefined && fieldText(form, 'targets') === 'anew';
    const targets = isAnew ? { filter } : { nodes: nodes.map(({ id }) => id) };
    await client.post('/schedules', { body: { ...timesIn(form), launch: { name: graph, options, ...targets } } });
    done();
  };
  return (
    <Form action="Create" submit={submit} cancel={cancel}>
      <h3>Due times</h3>
      <DueTimeFields name={graph} />
      {filter === undefined ? (
        <p class="quiet">
          It launches on the nodes chosen here. The daemon has no filter for words and for bmc:missing; by other filters
          it can choose the nodes at each time. As a rollout: nw schedule add.
        </p>
      ) : (
        <ChoiceField
          label="Nodes"
          name="targets"
          initial=""
          isRequired
          choices={[
            ['', 'choose one'],
            ['anew', 'those that the filter selects at each time'],
            ['now', `the ${nodes.length} that it selects now`],
          ]}
        />
      )}
    </Form>
  );
}

export function ChangeSchedule({ schedule, done, cancel }: FormEnds & { schedule: GetAnswer<'/schedules'>[number] }) {
  const submit = async (form: FormData) => {
    await client.patch('/schedules/:id', { params: { id: schedule.id }, body: timesIn(form) });
    done();
  };
  return (
    <Form action="Save" submit={submit} cancel={cancel}>
      <DueTimeFields name={schedule.name} schedule={schedule} />
    </Form>
  );
}
