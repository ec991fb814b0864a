import test from 'ava';
import { pendingEventConformance } from '../../conformance/pending-events.ts';
import { embeddedStore } from '../../support/stores.ts';

pendingEventConformance(test.serial, embeddedStore(test));
