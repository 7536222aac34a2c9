import { collect, records } from './owner.js';

const USAGE = `usage: lab list     labs on this machine, and whether their owner lives
       lab gc       removes labs whose owner is dead
       lab check RUN  fails when a test run left labs behind, and removes them`;

const [command, argument] = process.argv.slice(2);
if (command === 'list') {
  for (const { lab, pid, alive, dir } of records())
    console.log(`${lab}\t${alive ? 'alive' : 'dead'}\t${pid}\t${dir}`);
} else if (command === 'gc') {
  for (const { lab } of collect()) console.log(`removed ${lab}`);
} else if (command === 'check' && argument !== undefined) {
  const left = collect(argument);
  for (const { lab } of left) console.log(`lab ${lab} was left behind`);
  process.exitCode = left.length > 0 ? 1 : 0;
} else {
  console.error(USAGE);
  process.exitCode = 1;
}
