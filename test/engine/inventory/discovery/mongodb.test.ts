import test from 'ava';
import { registrationConformance } from '../../../conformance/registration.ts';
import { needing } from '../../../support/ava/needs.ts';
import { mongoStore } from '../../../support/engine/stores.ts';
import { noMongoDb } from '../../../support/servers/mongodb.ts';

registrationConformance(needing(noMongoDb, 'mongodb').serial, mongoStore(test));
