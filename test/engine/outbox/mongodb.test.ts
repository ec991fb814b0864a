import test from 'ava';
import { pendingEventConformance } from '../../conformance/pending-events.ts';
import { noMongoDb } from '../../support/mongodb.ts';
import { needing } from '../../support/needing.ts';
import { mongoStore } from '../../support/stores.ts';

pendingEventConformance(needing(noMongoDb, 'mongodb').serial, mongoStore(test));
