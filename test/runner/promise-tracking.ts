/**
 * Loaded before each test file. `node:test` follows every promise to know which test is running.
 * In a test with many promises this takes as much processor time as the test. Here the storage of
 * the asynchronous context tells it the same: suites, hooks and errors that nothing awaits belong
 * to the same tests as before.
 *
 * It replaces two functions while `node:test` takes them. If a version of Node takes others, tests
 * only become slower.
 */

import { tracingChannel } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';

// The namespace of an import cannot be changed.
const async_hooks = createRequire(import.meta.url)('node:async_hooks') as typeof import('node:async_hooks');
const { AsyncLocalStorage, createHook, executionAsyncId } = async_hooks;

const running_test = new AsyncLocalStorage<{ readonly id: number }>();
tracingChannel('node.test').start.bindStore(running_test, () => ({ id: executionAsyncId() }));

async_hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
async_hooks.executionAsyncId = () => running_test.getStore()?.id ?? executionAsyncId();
await import('node:test');
Object.assign(async_hooks, { createHook, executionAsyncId });
