/** Loaded by the processes of tests whose coverage is measured, so that those that they start are not measured too. */
delete process.env.NODE_V8_COVERAGE;
