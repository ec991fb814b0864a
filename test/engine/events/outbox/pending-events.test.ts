import test from 'ava';
import { pendingEventConformance } from '../../../conformance/pending-events.ts';
import { embeddedStore } from '../../../support/engine/stores.ts';

pendingEventConformance(test.serial, embeddedStore(test));
