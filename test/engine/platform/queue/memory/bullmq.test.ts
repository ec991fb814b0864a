/** BullMQ's own classes on the in-process backend, and that backend's limits. */
import test from 'ava';
import { bullConformance } from '../../../../conformance/bullmq.ts';
import { bullInMemory } from '../../../../support/engine/bullmq.ts';

bullConformance(test, bullInMemory);
