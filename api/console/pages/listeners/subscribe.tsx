/** The ways in which programs receive events. */
import { client } from '../../data/daemon-client.ts';
import { saveFile } from '../../data/save-file.ts';
import { ActionButton } from '../../parts/action-button.tsx';

export function SubscribeHint() {
  return (
    <>
      <h2>By AMQP</h2>
      <p>
        Bind a queue to the topic exchange <code>on.events</code> of your RabbitMQ; a routing key is{' '}
        <code>type.action.severity.typeId.nodeId</code>, so <code>graph.finished.#</code> selects the ends of workflows.
      </p>
      <h2>By web hook</h2>
      <p>
        Create a hook: each event is posted to its URL, signed with its secret, and repeated until the receiver has
        taken it.
      </p>
      <h2>As a stream</h2>
      <pre class="wraps">curl -N -H "Authorization: Bearer $TOKEN" {location.origin}/api/current/events/stream</pre>
      <p>
        Server-Sent Events with the same content. <code>Last-Event-ID</code> continues after the last one that was read.
        On a terminal: <code>nw events -f</code>.
      </p>
      <h2>The messages</h2>
      <p>All of them, with their schemas, are in the AsyncAPI 3 document of the daemon.</p>
      <div class="actions">
        <ActionButton run={saveDocument}>Save asyncapi.json</ActionButton>
      </div>
    </>
  );
}

async function saveDocument(): Promise<void> {
  const { body } = await client.get('/asyncapi.json');
  saveFile('asyncapi.json', JSON.stringify(body, null, 2));
}
