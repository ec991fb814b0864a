import test from 'ava';
import { pendingEventConformance } from '../../../conformance/pending-events.ts';
import { needing } from '../../../support/ava/needs.ts';
import { mongoStore } from '../../../support/engine/stores.ts';
import { noMongoDb } from '../../../support/servers/mongodb.ts';

pendingEventConformance(needing(noMongoDb, 'mongodb').serial, mongoStore(test));
