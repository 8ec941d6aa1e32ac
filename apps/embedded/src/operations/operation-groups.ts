import type { Id } from '@tallystick/operations/resources';
import type {
  BankOperations,
  CompanyOperations,
  NetworkOperations,
  OperatorOperations,
  SandboxOperations,
} from './generated/methods.ts';

/**
 * The use cases, in groups by who has them. Every operation of the HTTP interface is one method,
 * with the same checks and the same values.
 *
 * A call rejects with a `Refusal` when the rules do not allow it, and with a `Fault` when the
 * database fails or when there is too much of the same work. A decline is neither: it is a value.
 */
export interface OperationGroups {
  /**
   * What a company does with its own data. Calls for a company that does not exist are refused
   * (`not_found`), and so are calls for a closed company (`forbidden`).
   */
  company(company_id: Id): CompanyOperations;
  /** The card network's side. */
  readonly network: NetworkOperations;
  /** The bank's side. */
  readonly bank: BankOperations;
  /** The operator's side: all companies. */
  readonly operator: OperatorOperations;
  /** What only a sandbox has. */
  readonly sandbox: SandboxOperations;
}
