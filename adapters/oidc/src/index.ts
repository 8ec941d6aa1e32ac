export * from './authorisation-server.ts';
export type { AuthorisationServerPorts, AuthorisationTx } from './ports.ts';
