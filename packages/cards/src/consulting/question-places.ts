import { createFairShare, type Timers } from '@tallystick/kernel';

/** The weight of the newest answer in the time that a company is expected to take. */
const newest_weight = 0.1;

/** The places of the questions in flight. */
export interface QuestionPlaces {
  /**
   * Resolves with true once the company has a place, after at most `wait_ms`, in the order of the
   * calls. Resolves with false when it has none by then: at once when that can be expected from the
   * time of its recent answers, so that the questions of a slow company do not pile up.
   */
  take(company_id: number, wait_ms: number): Promise<boolean>;
  /** Gives the place back after this time. */
  release(company_id: number, ms: number): void;
}

interface Company {
  /** How long its answers took of late. */
  answer_ms: number;
  in_flight: number;
  readonly waiting: Set<() => void>;
}

/** As many places, of which each company has at most a fair share. */
export function createQuestionPlaces(max: number, timers: Pick<Timers, 'after'>): QuestionPlaces {
  const share = createFairShare(max);
  const companies = new Map<string, Company>();

  function wakeWaiting(): void {
    for (const [owner, { waiting }] of companies) {
      for (const begin of waiting) {
        if (!share.mayTake(owner)) break;
        waiting.delete(begin);
        begin();
      }
    }
  }

  function forgetIdle(owner: string, { in_flight, waiting }: Company): void {
    if (in_flight === 0 && waiting.size === 0) companies.delete(owner);
  }

  return {
    async take(company_id, wait_ms) {
      const owner = String(company_id);
      const company = companies.get(owner) ?? { answer_ms: 0, in_flight: 0, waiting: new Set() };
      const { waiting } = company;
      const begin = () => {
        companies.set(owner, company);
        share.take(owner);
        company.in_flight += 1;
      };
      if (waiting.size === 0 && share.mayTake(owner)) {
        begin();
        return true;
      }
      const expected_ms = (company.answer_ms * (waiting.size + 1)) / Math.max(1, company.in_flight);
      if (expected_ms >= wait_ms) return false;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const beginWaiting = () => {
        cancel();
        begin();
        resolve(true);
      };
      const cancel = timers.after(wait_ms, () => {
        waiting.delete(beginWaiting);
        forgetIdle(owner, company);
        resolve(false);
      });
      waiting.add(beginWaiting);
      companies.set(owner, company);
      return promise;
    },
    release(company_id, ms) {
      const owner = String(company_id);
      const company = companies.get(owner)!;
      share.release(owner);
      company.in_flight -= 1;
      company.answer_ms += (ms - company.answer_ms) * newest_weight;
      wakeWaiting();
      forgetIdle(owner, company);
    },
  };
}
