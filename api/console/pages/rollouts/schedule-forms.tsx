/** A new schedule: a launch with due times, which takes the last step of its form. Also new due times of a schedule. */
import type { GetAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { Form } from '../../parts/form.tsx';
import { LaunchForm } from '../../parts/launch/launch-form.tsx';
import type { LaunchStartProps } from '../../parts/launch/launch-start.tsx';
import { DueTimeFields, timesIn } from './due-time-fields.tsx';

interface FormEnds {
  done: () => void;
  cancel: () => void;
}

export const ScheduleCreation = ({ done, cancel }: FormEnds) => (
  <LaunchForm start={(launch) => <ScheduleStart launch={launch} done={done} cancel={cancel} />} />
);

function ScheduleStart({ launch, done, cancel }: FormEnds & { launch: LaunchStartProps }) {
  const { graph, nodes, options, isReady } = launch;
  const submit = async (form: FormData) => {
    if (!isReady) throw new Error('The plan is not complete: wait for it, and correct the options that cannot be read');
    if (nodes.length === 0) throw new Error('Choose the nodes: a schedule does not launch without one');
    await client.post('/schedules', {
      body: { ...timesIn(form), launch: { name: graph, options, nodes: nodes.map(({ id }) => id) } },
    });
    done();
  };
  return (
    <Form action="Create" submit={submit} cancel={cancel}>
      <h3>Due times</h3>
      <DueTimeFields name={graph} />
      <p class="quiet">
        It launches on the nodes chosen here. By a filter at each time, or as a rollout: nw schedule add.
      </p>
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
