/**
 * Changes of RackHD's tests that concern RackHD and not its interface. They are made in a copy of the checkout, by
 * `npm run fit -- --adapted`; each has its reason, which the report shows. A text that is not found ends the run: the
 * checkout has changed.
 */
export interface Adaption {
  /** Path in the folder `test` of a checkout of RackHD. */
  file: string;
  from: string;
  to: string;
  why: string;
}

const CIT = 'tests/api-cit/v2_0';

export const adaptions: readonly Adaption[] = [
  {
    file: `${CIT}/config_tests.py`,
    from: '"PWD": "/this/is/a/test/for/patch_config"',
    to: '"heartbeatIntervalSec": 11',
    why: 'the configuration does not show variables of the environment; another key is changed',
  },
  {
    file: `${CIT}/config_tests.py`,
    from: "server_config.get('PWD'), '/this/is/a/test/for/patch_config'",
    to: "server_config.get('heartbeatIntervalSec'), 11",
    why: 'the same key',
  },
  {
    file: `${CIT}/config_tests.py`,
    from: '{"PWD": "/var/renasar/on-http"}',
    to: '{"heartbeatIntervalSec": 10}',
    why: 'the same key',
  },
  {
    file: `${CIT}/workflowTasks_tests.py`,
    from: '"injectableName": "in_1",\n            "implementsTask": "im_1"',
    to: '"injectableName": "Task.in_1",\n            "implementsTask": "Task.noop"',
    why: 'names of tasks begin with Task., and a task that does nothing that exists is refused',
  },
  {
    file: `${CIT}/workflows_tests.py`,
    from: "str(rawj['definition'].get('injectableName'))",
    to: "str(rawj['injectableName'])",
    why: 'definition is the URL of the graph, as the interface document shows it',
  },
  {
    file: `${CIT}/workflows_tests.py`,
    from: "Api().workflows_get_graphs_by_name('*')",
    to: 'Api().workflows_get_graphs()',
    why: 'names of graphs have no wildcards; the list has all of them',
  },
  {
    file: `${CIT}/workflows_tests.py`,
    from: "self.assertEqual(self.workflowDict.get('friendlyName'), str(rawj[0].get('friendlyName')))",
    to: "self.assertEqual(self.workflowDict.get('friendlyName'), str(rawj.get('friendlyName')))",
    why: 'a graph by its name is one object, as it was put',
  },
  {
    file: `${CIT}/sel_alert_poller_tests.py`,
    from: `node.get('sku').split("/")[4]`,
    to: "node.get('sku')",
    why: 'sku of a node is an id, as the interface document shows it',
  },
  {
    file: `${CIT}/skupack_tests.py`,
    from: '"password": "hello",',
    to: '',
    why: 'secrets are never shown; the test compares its own',
  },
];
