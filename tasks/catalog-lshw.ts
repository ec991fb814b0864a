/** Catalog `lshw`: the node's hardware as a tree, as lshw prints it. Output: `{ results }`, one result. */
import { defineCollector } from 'nodewright/define';

export default defineCollector({
  injectableName: 'Task.Catalog.lshw',
  friendlyName: 'Catalog hardware',
  source: 'lshw',
  format: 'json',
  command: 'lshw -json -notime 2>/dev/null || lshw -json',
});
