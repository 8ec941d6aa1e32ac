/**
 * The parts of which the embedded library and the standalone server are composed, for hosts that
 * use Inversify. A host creates a container, binds `tokens.logger`, and rebinds the tokens of what
 * it replaces.
 */
import './supported-node.ts';

export { openArchive, openFolder, UnusableFolder } from './background/archive-files.ts';
export type { Deliveries } from './background/deliveries.ts';
export type { Job, Jobs } from './background/jobs.ts';
export type { Mails } from './background/mails.ts';
export { createFaultReporter, createOverloadLogger } from './background/repeated-faults.ts';
export { boundsOf } from './background/retention.ts';
export type { SchemaWatch } from './background/schema-watch.ts';
export { console_module } from './composition/console-module.ts';
export { closeContainer, createContainer, modules } from './composition/container.ts';
export type { CreateConsole, Door } from './composition/create-console.ts';
export { dataFolderOf, default_database_url } from './composition/default-folder.ts';
export { default_settings, sandbox_bank_name, sandbox_sender } from './composition/default-settings.ts';
export { mail_module, subscriptions_module, webhooks_module } from './composition/delivery-modules.ts';
export { http_module, open_banking_module } from './composition/http-modules.ts';
export { replaceSandboxKeys, sandboxKeyRing, UnusableKeysFile } from './composition/keys-file.ts';
export { assertKeysFit, WrongKeys } from './composition/keys-fit.ts';
export { createImportPorts, imports_module, network_module } from './composition/network-modules.ts';
export type { OpenBanking } from './composition/open-banking.ts';
export { defaultPublicUrl, isLoopback, parsePublicUrl } from './composition/public-url.ts';
export { reportConnections } from './composition/report-connections.ts';
export { isSqlite, type Role, type Settings } from './composition/settings.ts';
export { keys_module, storage_module, time_module } from './composition/storage-modules.ts';
export { tokens } from './composition/tokens.ts';
export { work_module } from './composition/work-module.ts';
export { openHostLog } from './host-log.ts';
export { readOptions } from './read-options.ts';
export { sandbox_password, sandbox_third_parties } from './sandbox/logins.ts';
export { sandbox_user_ids } from './sandbox/open-banking-data.ts';
export type { SharedClock } from './sandbox/shared-clock.ts';
export { openContainer } from './tallystick.ts';
export { version } from './version.ts';
