/** The serial console of a machine: its newest lines as they are written, its switch, and an input for those who may type. */
import { type ConsoleSource, consoleSources } from '../../../../engine/vocabulary/states.ts';
import { useConsole } from '../../data/captured-console.ts';
import { client } from '../../data/daemon-client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CaptureState, ConsoleLines } from '../../parts/console-lines.tsx';
import { Form } from '../../parts/form.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { Problem } from '../../parts/problem.tsx';

const titles: Record<ConsoleSource, string> = { ipmi: 'Capture by IPMI', redfish: 'Capture by Redfish' };

export function NodeConsole({ id }: { id: string }) {
  const { capture, lines, problem, reload } = useConsole(id);
  const params = { identifier: id };
  const { value: shownCapture } = capture;
  if (shownCapture === undefined) return <Problem error={problem.value} />;
  const isOff = shownCapture.state === 'off';
  return (
    <>
      <p>
        The console is <CaptureState capture={shownCapture} />
      </p>
      <Problem error={problem.value} />
      <NeedsRight>
        <p class="actions">
          {isOff ? (
            consoleSources.map((source) => (
              <ActionButton
                key={source}
                run={() => client.put('/nodes/:identifier/console', { params, body: { source } }).then(reload)}
              >
                {titles[source]}
              </ActionButton>
            ))
          ) : (
            <ActionButton run={() => client.remove('/nodes/:identifier/console', { params }).then(reload)}>
              End the capture
            </ActionButton>
          )}
        </p>
      </NeedsRight>
      <ConsoleLines lines={lines.value} />
      {shownCapture.state === 'connected' && (
        <NeedsRight group="consoleInput">
          <ConsoleInput id={id} />
        </NeedsRight>
      )}
    </>
  );
}

/** Each text is sent with Enter. */
function ConsoleInput({ id }: { id: string }) {
  const send = async (form: FormData, element: HTMLFormElement) => {
    const body = { text: `${String(form.get('text'))}\r` };
    await client.post('/nodes/:identifier/console/input', { params: { identifier: id }, body });
    element.reset();
  };
  return (
    <Form action="Type with Enter" submit={send}>
      <input name="text" aria-label="Text for the machine" autocomplete="off" maxLength={1_000} />
    </Form>
  );
}
