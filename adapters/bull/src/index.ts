export * from './bull-queue.ts';
