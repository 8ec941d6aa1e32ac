/** For `node --import`: every `fetch` of the process checks its answers against the document. */
import { checkedFetch } from './checked-fetch.ts';

globalThis.fetch = checkedFetch;
