import { host_pairs } from './host-pairs.ts';
import { hostTransactionSuite } from './host-transaction-suite.ts';

for (const pair of host_pairs) hostTransactionSuite(pair);
