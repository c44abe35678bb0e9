#!/usr/bin/env node
// The compiler among the npm packages, behind the command line that forge expects of a native one: `--version` and Standard JSON.
import { readFileSync } from 'node:fs';
import solc from 'solc';

if (process.argv.includes('--version')) {
  const version = solc.version().replace(/\.Emscripten.*$/, '');
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${version}.Linux.g++`);
} else {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')));
}
