/** Where a new graph begins. */
export const exampleGraph = {
  friendlyName: 'Example',
  injectableName: 'Graph.Example',
  options: { wait: { _taskTimeout: 600_000 } },
  tasks: [
    { label: 'first', taskName: 'Task.noop' },
    { label: 'wait', taskName: 'Task.Wait.Notification', waitOn: { first: 'succeeded' } },
  ],
};
