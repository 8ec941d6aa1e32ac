export * from './embedded-queue.ts';
