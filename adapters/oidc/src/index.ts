export * from './authorisation-server.ts';
export type { AuthorisationServerPorts, AuthorisationTx } from './ports.ts';
export { createRecords, no_links, type Records } from './records.ts';
export { createAccessTokens } from './tokens.ts';
