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

const lookedUp: Readonly<Record<string, string>> = {
  template: "Api().templates_meta_get_by_name('template.json', scope=sku_id)",
  profile: "Api().profiles_get_metadata_by_name('useless.json', scope=sku_id)",
};

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
    to: '"injectableName": "in_1",\n            "implementsTask": "Task.noop"',
    why: 'a task that does nothing that exists is rejected',
  },
  {
    file: `${CIT}/workflows_tests.py`,
    from: "str(rawj['definition'].get('injectableName'))",
    to: "str(rawj['injectableName'])",
    why: 'definition is the URL of the graph, as the interface document shows it',
  },
  ...['workflowDict', 'workflowDict2'].map((name) => ({
    file: `${CIT}/workflows_tests.py`,
    from: `self.assertEqual(self.${name}.get('friendlyName'), str(rawj[0].get('friendlyName')))`,
    to: `self.assertEqual(self.${name}.get('friendlyName'), str(rawj.get('friendlyName')))`,
    why: 'a graph by its name is one object, as it was put',
  })),
  {
    file: `${CIT}/workflows_tests.py`,
    from: `Api().workflows_get_graphs_by_name(self.workflowDict.get('injectableName'))
        self.assertEqual(0, len(self.__get_data()))`,
    to: `with self.assertRaises(ApiException):
            Api().workflows_get_graphs_by_name(self.workflowDict.get('injectableName'))`,
    why: 'a graph that is not there is 404, where RackHD shows an empty list',
  },
  {
    file: `${CIT}/workflows_tests.py`,
    from: `self.__qproc.match_on_routekey('post-graph-finish',
                                               routing_key='graph.finished.{}'.format(workflow_id),
                                               validation_block=self.__build_workflow_node_post_block(workflow_id))
`,
    to: '',
    why: 'an event has one routing key, that of the interface document; RackHD sends the end of a graph with a second one',
  },
  ...['template', 'profile'].map((kind) => ({
    file: `${CIT}/skupack_tests.py`,
    from: `${lookedUp[kind]}
                self.assertEqual(200, self.__client.last_response.status)
                self.assertEqual(1, len(loads(self.__client.last_response.data)))`,
    to: `${lookedUp[kind]}
                self.assertEqual(200, self.__client.last_response.status)
                self.assertEqual(sku_id, loads(self.__client.last_response.data)['scope'])`,
    why: `the record of a ${kind} is one object`,
  })),
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
