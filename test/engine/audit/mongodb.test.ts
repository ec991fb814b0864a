/** The audit log on MongoDB. */
import anyTest from 'ava';
import { auditConformance } from '../../conformance/audit.ts';
import { noMongoDb } from '../../support/mongodb.ts';
import { needing } from '../../support/needing.ts';
import { mongoStore } from '../../support/stores.ts';

const test = needing(noMongoDb);

auditConformance(test.serial, mongoStore(anyTest));
