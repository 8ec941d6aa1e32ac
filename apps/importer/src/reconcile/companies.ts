import type { Call, UnitOfWork } from '@tallystick/kernel';
import {
  type ActPorts,
  type ActTx,
  type BridgeTx,
  catchUp,
  type ReconciliationPorts,
} from '@tallystick/reconciliation';
import { type AdminServices, type ParsedWords, readOptionalId, UsageError } from '@tallystick/server';

interface CompaniesTx {
  readonly companies: { find(id: number): Promise<object | null> };
}

export interface ReconcilePorts extends ReconciliationPorts {
  readonly unitOfWork: UnitOfWork<ActTx & BridgeTx & CompaniesTx>;
}

export async function portsOf(services: AdminServices): Promise<ReconcilePorts> {
  const { long_work } = await services.persistence();
  return { unitOfWork: long_work, clock: services.clock() };
}

/** The ports of what people do. Events are delivered by the server. */
export async function actPortsOf(services: AdminServices): Promise<ActPorts & ReconcilePorts> {
  return { ...(await portsOf(services)), network: await services.network() };
}

/** The companies of the command line, brought up to date with what has arrived. */
export async function companiesOf(ports: ReconcilePorts, given: ParsedWords): Promise<readonly number[]> {
  const named = await namedCompany(ports, given);
  const companies = named === undefined ? await everyCompany(ports) : [named];
  for (const company_id of companies) await catchUp(ports, company_id);
  return companies;
}

/** The company of `--company`. Throws an `Error` when there is none with this id. */
async function namedCompany(
  { unitOfWork }: Pick<ReconcilePorts, 'unitOfWork'>,
  given: ParsedWords,
): Promise<number | undefined> {
  const named = readOptionalId(given, 'company');
  if (named !== undefined && (await unitOfWork.read((tx) => tx.companies.find(named))) === null) {
    throw new Error(`there is no company ${named}`);
  }
  return named;
}

async function everyCompany({ unitOfWork }: ReconcilePorts): Promise<readonly number[]> {
  const companies: number[] = [];
  for (;;) {
    const next = await unitOfWork.read((tx) =>
      tx.reconciliation.companiesAfter(companies.at(-1) ?? 0, companies_at_once),
    );
    companies.push(...next);
    if (next.length < companies_at_once) return companies;
  }
}

const companies_at_once = 1_000;

export function callFor(services: AdminServices, company_id: number): Pick<Call, 'company_id' | 'now_ms'> {
  return { company_id, now_ms: services.clock().nowMs() };
}

/** The one company that a command is about. Throws a `UsageError` when there are several. */
export async function companyOf(services: AdminServices, given: ParsedWords): Promise<number> {
  const { unitOfWork } = await services.persistence();
  const named = await namedCompany({ unitOfWork }, given);
  if (named !== undefined) return named;
  const found = await unitOfWork.read((tx) => tx.reconciliation.companiesAfter(0, 2));
  if (found.length > 1) throw new UsageError('--company is missing: there are several companies');
  if (found.length === 0) throw new Error('there are no items');
  return found[0]!;
}

/** The caller of what a command writes: for the history of an item, and for the audit log. */
export function writingCall(services: AdminServices, company_id: number): Call {
  return { ...callFor(services, company_id), actor: 'command', request_id: null };
}
