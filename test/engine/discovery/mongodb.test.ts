import test from 'ava';
import { registrationConformance } from '../../conformance/registration.ts';
import { noMongoDb } from '../../support/mongodb.ts';
import { needing } from '../../support/needing.ts';
import { mongoStore } from '../../support/stores.ts';

registrationConformance(needing(noMongoDb, 'mongodb').serial, mongoStore(test));
