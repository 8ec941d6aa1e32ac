/**
 * `Temporal` of the runtime, or that of a polyfill where it is missing (Node 24). The global of the
 * process is not changed. Everything that is published imports it from here (ADR 0063).
 */
export { Temporal } from 'temporal-polyfill';
