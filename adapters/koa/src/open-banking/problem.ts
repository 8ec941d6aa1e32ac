import { type OpenBankingErrorCode, OpenBankingRefusal } from '@tallystick/consents';

/** A refusal (`invalid`) with one problem. */
export function problem(code: OpenBankingErrorCode, message: string, path?: string): OpenBankingRefusal {
  return new OpenBankingRefusal('invalid', [{ code, message, ...(path === undefined ? {} : { path }) }]);
}

/** An expected error whose answer has no body (decision: errors). */
export class BodylessProblem extends Error {
  override readonly name = 'BodylessProblem';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, headers: Readonly<Record<string, string>> = {}) {
    super(`the answer has the status ${status}`);
    this.status = status;
    this.headers = headers;
  }
}
