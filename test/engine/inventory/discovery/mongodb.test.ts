import test from 'ava';
import { registrationConformance } from '../../../conformance/registration.ts';
import { needing } from '../../../support/ava/needing.ts';
import { mongoStore } from '../../../support/engine/stores.ts';
import { noMongoDb } from '../../../support/servers/mongodb.ts';

registrationConformance(needing(noMongoDb, 'mongodb').serial, mongoStore(test));
