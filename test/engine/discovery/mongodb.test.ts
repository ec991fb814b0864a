import test from 'ava';
import { arrivalConformance } from '../../conformance/arrivals.ts';
import { noMongoDb } from '../../support/mongodb.ts';
import { needing } from '../../support/needing.ts';
import { mongoStore } from '../../support/stores.ts';

arrivalConformance(needing(noMongoDb, 'mongodb').serial, mongoStore(test));
