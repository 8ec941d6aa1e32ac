export * from './authorisation-server.ts';
export type { AuthorisationServerPorts, AuthorisationTx, ClientCertificate } from './ports.ts';
