import { type SimulationOptions, simulate } from './run.ts';

const onTrace = process.argv.includes('--trace') ? (line: string) => console.log(line) : undefined;

/** A process that runs seeds as they are sent to it. */
process.on('message', async (options: SimulationOptions) => {
  const began = process.cpuUsage();
  const result = await simulate(options, onTrace);
  const { user, system } = process.cpuUsage(began);
  process.send!({ result, processor_s: (user + system) / 1e6 });
});
