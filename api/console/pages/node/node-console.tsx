/** The serial console of a machine: its newest lines as they are written, its switch, and an input for those who may type. */
import { type ConsoleSource, consoleSources } from '../../../../engine/vocabulary/states.ts';
import { useConsole } from '../../data/captured-console.ts';
import { client } from '../../data/daemon-client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CaptureState, ConsoleLines } from '../../parts/console-lines.tsx';
import { Form } from '../../parts/form.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';

const titles: Record<ConsoleSource, string> = { ipmi: 'Capture by IPMI', redfish: 'Capture by Redfish' };

export function NodeConsole({ id }: { id: string }) {
  const live = useConsole(id);
  return (
    <LiveContent live={live}>
      {({ capture, lines }) => (
        <>
          <p>
            The console is <CaptureState capture={capture} />
          </p>
          <NeedsRight owner={null}>
            <CaptureSwitch id={id} isOff={capture.state === 'off'} reload={live.reload} />
          </NeedsRight>
          <ConsoleLines lines={lines} />
          {capture.state === 'connected' && (
            <NeedsRight group="consoleInput">
              <ConsoleInput id={id} />
            </NeedsRight>
          )}
        </>
      )}
    </LiveContent>
  );
}

function CaptureSwitch({ id, isOff, reload }: { id: string; isOff: boolean; reload: () => void }) {
  const params = { identifier: id };
  const capture = (source: ConsoleSource) =>
    client.put('/nodes/:identifier/console', { params, body: { source } }).then(reload);
  const end = () => client.remove('/nodes/:identifier/console', { params }).then(reload);
  return (
    <p class="actions">
      {isOff ? (
        consoleSources.map((source) => (
          <ActionButton key={source} run={() => capture(source)}>
            {titles[source]}
          </ActionButton>
        ))
      ) : (
        <ActionButton run={end}>End the capture</ActionButton>
      )}
    </p>
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
