/**
 * A clock that moves by 10 ms whenever it is read. With it a backtest is stored after every 100
 * records, and has a turn of 500.
 */
export function tickingClock() {
  let now_ms = 0;
  return {
    nowMs() {
      now_ms += 10;
      return now_ms;
    },
  };
}
