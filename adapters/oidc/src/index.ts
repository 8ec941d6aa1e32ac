export * from './authorisation-server.ts';
