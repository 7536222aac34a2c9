// Exit status 0 when node_modules holds what package-lock.json asks for. Says why not, otherwise.
import { readFileSync } from 'node:fs';

const packages = (path) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')).packages;

try {
  const wanted = packages('package-lock.json');
  const present = packages('node_modules/.package-lock.json');
  for (const [path, { version, optional }] of Object.entries(wanted)) {
    if (path === '' || (optional && !present[path])) continue; // for another machine
    if (present[path]?.version !== version)
      throw new Error(`${path} is ${present[path]?.version ?? 'missing'}, not ${version}`);
  }
} catch (error) {
  console.log(
    `npm packages are to be installed: ${error.code === 'ENOENT' ? 'there are none' : error.message}`,
  );
  process.exitCode = 1;
}
