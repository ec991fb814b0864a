/** The engine in a process of its own, to be killed. It says `ready`, then takes one JSON command a line. */
import { createInterface } from 'node:readline';
import { TestEngine } from './engine.ts';

interface Command {
  graphs?: object[];
  launch?: { name: string; options: Record<string, unknown>; nodeId: string | null };
  notify?: { parameters: Record<string, unknown>; nodeId: string };
}

const it = await new TestEngine(process.argv[2] as string, {}).open();
const say = (answer: unknown) => process.stdout.write(`${JSON.stringify(answer)}\n`);
say({ ready: true });

for await (const line of createInterface({ input: process.stdin })) {
  const { graphs = [], launch, notify } = JSON.parse(line) as Command;
  for (const graph of graphs) await it.engine.library.putGraph(graph as Record<string, unknown>);
  if (launch !== undefined) say({ id: (await it.engine.workflows.launch(launch)).id });
  else if (notify !== undefined)
    say({ notified: await it.engine.notifications.notify(notify.parameters, notify.nodeId) });
  else say({ done: true });
}
