/**
 * Boots the node into a microkernel: while this task waits, and as long as later tasks of its workflow need the agent,
 * `GET /profiles` returns the boot profile for it. The task ends when `Task.Trigger.Send.Finish` of the same workflow
 * releases its group. Without `triggerGroup`, and without such a task before its end, it ends at the first request of the
 * agent. It does not switch the node's power.
 *
 * No output.
 */
import { type BootImage, defineTask, release, type TaskInput, Type } from 'nodewright/define';
import { setup } from 'xstate';

const name = 'Task.Linux.Bootstrap';

/** One word of an iPXE script, without iPXE variables. */
const place = Type.String({ pattern: '^[^\\s$]+$', maxLength: 1_024 });

const optionsSchema = Type.Object(
  {
    profile: Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'Boot profile of the node: from the pack of its SKU, else from the library.',
    }),
    kernelFile: Type.Unsafe<string>({ ...place, description: 'Path below the file server, or a URL.' }),
    initrdFile: Type.Unsafe<string>({ ...place, description: 'The same for the initial RAM disk.' }),
    kernelUri: Type.Optional(
      Type.Unsafe<string>({ ...place, description: '`kernelFile` as a URL, which it replaces; RackHD names it so.' }),
    ),
    initrdUri: Type.Optional(
      Type.Unsafe<string>({ ...place, description: '`initrdFile` as a URL, which it replaces; RackHD names it so.' }),
    ),
    kernelArguments: Type.String({
      pattern: '^[^\\r\\n$]*$',
      maxLength: 2_048,
      description: 'Additional kernel arguments.',
    }),
    triggerGroup: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'The group that releases this task; absent: `bootstrap`, or the first request of the agent.',
      }),
    ),
  },
  { additionalProperties: false },
);

interface Options {
  profile: string;
  kernelFile: string;
  initrdFile: string;
  kernelUri?: string;
  initrdUri?: string;
  kernelArguments: string;
  triggerGroup?: string;
}

const bootOf = ({ profile, kernelFile, initrdFile, kernelUri, initrdUri, kernelArguments }: Options): BootImage => ({
  profile,
  kernel: kernelUri ?? kernelFile,
  initrd: initrdUri ?? initrdFile,
  cmdline: kernelArguments,
});

export default defineTask<typeof optionsSchema>({
  injectableName: name,
  friendlyName: 'Boot a microkernel',
  // It only waits.
  recovery: 'idempotent',
  optionsSchema,
  options: {
    profile: 'linux.ipxe',
    kernelFile: 'common/vmlinuz',
    initrdFile: 'common/initrd.img',
    kernelArguments: '',
  },
  machine: setup({
    types: {} as { context: TaskInput<Options>; input: TaskInput<Options> },
    actors: { release },
  }).createMachine({
    id: name,
    context: ({ input }) => input,
    initial: 'parked',
    states: {
      parked: {
        invoke: {
          src: 'release',
          input: ({ context: { options } }) => ({
            group: options.triggerGroup ?? 'bootstrap',
            ...(options.triggerGroup === undefined && { onRequest: true }),
            boot: bootOf(options),
          }),
          onDone: 'released',
        },
      },
      released: { type: 'final' },
    },
  }),
});
