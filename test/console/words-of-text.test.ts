/** Texts of the daemon, as people read them. */
import test from 'ava';
import { readableText } from '../../api/console/data/words-of-text.ts';

const words = (text: string) => readableText(text, (at) => new Date(at).toISOString().slice(11, 19));

test('a time in a text is written as all others, and an id in short', (t) => {
  t.is(words('no commands until 2026-05-03T14:30:08.090Z.'), 'no commands until 14:30:08.');
  t.is(words('2026-05-03T14:30:08Z and 2026-05-03T15:30:08.090Z'), '14:30:08 and 15:30:08');
  t.is(words('workflow 5ab53d60-a39b-4d9b-9bae-af495f89f3d1 is active'), 'workflow 5ab53d60… is active');
  t.is(words('/redfish/v1/TaskService/TaskMonitors/2'), '/redfish/v1/TaskService/TaskMonitors/2');
});
