// Compiles fixtures/*.sol and prints artifacts.json: for each contract its interface, the bytecode that deploys it, and its code once it
// is deployed. `cargo xtask contracts` runs it; the same sources give the same bytes on every machine.
import { readdirSync, readFileSync } from 'node:fs';
import solc from 'solc';

const folder = new URL('./fixtures/', import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith('.sol')).sort();
const input = {
  language: 'Solidity',
  sources: Object.fromEntries(
    files.map((file) => [file, { content: readFileSync(new URL(file, folder), 'utf8') }]),
  ),
  settings: {
    // Runs on every fork that the tests start.
    evmVersion: 'paris',
    optimizer: { enabled: true, runs: 200 },
    metadata: { bytecodeHash: 'none' },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
  },
};

const output = JSON.parse(solc.compile(JSON.stringify(input)));
const errors = (output.errors ?? []).filter((error) => error.severity === 'error');
if (errors.length > 0) {
  for (const error of errors) console.error(error.formattedMessage);
  process.exit(1);
}

const lines = Object.values(output.contracts)
  .flatMap(Object.entries)
  .filter(([, { evm }]) => evm.bytecode.object !== '')
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, { abi, evm }]) => {
    const artifact = {
      abi,
      bytecode: `0x${evm.bytecode.object}`,
      runtime: `0x${evm.deployedBytecode.object}`,
    };
    return `  ${JSON.stringify(name)}: ${JSON.stringify(artifact)}`;
  });
process.stdout.write(`{\n${lines.join(',\n')}\n}\n`);
